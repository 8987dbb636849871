package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"jobledger.dev/client"
)

func main() {
	if err := try(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func try(url, token, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	api, err := client.NewClientWithResponses(url, client.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		return err
	}
	created, err := api.SubmitJobWithBodyWithResponse(ctx, "local", nil, "application/json", os.Stdin)
	if err != nil {
		return err
	}
	if created.JSON201 == nil {
		return fmt.Errorf("submit: %s", created.Body)
	}
	uid := created.JSON201.Uid
	for {
		job, err := api.GetJobWithResponse(ctx, name, &client.GetJobParams{Uid: &uid})
		if err != nil {
			return err
		}
		if job.JSON200 == nil || job.JSON200.FinishedAt == nil {
			time.Sleep(500 * time.Millisecond)
			continue
		}
		why, err := api.WhyJobWithResponse(ctx, name, &client.WhyJobParams{Uid: &uid})
		if err != nil {
			return err
		}
		if why.JSON200 == nil {
			return fmt.Errorf("why: %s", why.Body)
		}
		messages := []string{}
		for _, answer := range why.JSON200.Answers {
			messages = append(messages, answer.Message)
		}
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"status": job.JSON200.Status, "why": messages})
	}
}
