// Prints what robfig/cron v3, the parser of the built-in CronJob controller, makes of many schedules: expected.json.gz.
// `go run . | gzip -9n > expected.json.gz`, in this folder. mostRecent follows pkg/controller/cronjob/utils.go of Kubernetes 1.36.3.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/robfig/cron/v3"
)

type Zone struct {
	Name    string     `json:"name"`
	Offsets [][2]int64 `json:"offsets"`
}

type Parse struct {
	Text  string `json:"text"`
	Error string `json:"error"`
}

type Next struct {
	Zone     string  `json:"zone"`
	Schedule string  `json:"schedule"`
	Times    []int64 `json:"times"` // the first is where it begins; 0 for none
}

type Recent struct {
	Zone     string `json:"zone"`
	Schedule string `json:"schedule"`
	Since    int64  `json:"since"`
	Now      int64  `json:"now"`
	Time     int64  `json:"time"`  // 0 for none
	After    int64  `json:"after"` // next time to look, without the 100 ms
	Many     bool   `json:"many"`
	Error    bool   `json:"error"`
}

func parse(text string) (s cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("invalid schedule format: %v", r)
		}
	}()
	return cron.ParseStandard(text)
}

func mostRecent(e, now time.Time, s cron.Schedule) (*time.Time, int64, error) {
	t1 := s.Next(e)
	t2 := s.Next(t1)
	if now.Before(t1) {
		return nil, 0, nil
	}
	if now.Before(t2) {
		return &t1, 0, nil
	}
	gap := int64(t2.Sub(t1).Round(time.Second).Seconds())
	if gap < 1 {
		return nil, 0, fmt.Errorf("gap")
	}
	missed := int64(now.Sub(t1).Seconds())/gap + 1
	var last time.Time
	for t := s.Next(t1.Add(time.Duration((missed-2)*gap) * time.Second)); !t.After(now); t = s.Next(t) {
		last = t
		if t.IsZero() {
			break
		}
	}
	if last.IsZero() {
		return nil, missed, nil
	}
	return &last, missed, nil
}

func nextAfter(e, now time.Time, s cron.Schedule) time.Time {
	last, missed, err := mostRecent(e, now, s)
	x := now
	if err == nil && last != nil {
		x = *last
	} else if err == nil && missed == 0 {
		x = e
	}
	return s.Next(x)
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func zone(name string) Zone {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	from := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	z := Zone{Name: name}
	for t := from; t.Year() < 2041; {
		_, offset := t.In(loc).Zone()
		if n := len(z.Offsets); n == 0 || z.Offsets[n-1][1] != int64(offset) {
			z.Offsets = append(z.Offsets, [2]int64{t.Unix(), int64(offset)})
		}
		_, end := t.In(loc).ZoneBounds()
		if end.IsZero() {
			break
		}
		// At some years' ends the bounds lie before t.
		for !end.After(t) {
			end = end.AddDate(0, 0, 1)
		}
		t = end
	}
	return z
}

func main() {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns",
		"Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "Africa/Cairo", "Asia/Beirut"}
	schedules := []string{"* * * * *", "*/7 * * * *", "30 2 * * *", "0 0 * * *", "15 1 * * *", "*/20 1-3 * * *", "0 0 1 * *", "0 12 13 * 5",
		"0 0 */1 * 1", "5 4 */2 * 1", "0 0 ? * mon-fri", "30 6-16/4 * * 1-5", "0 0 29 2 *", "59 23 31 2 *", "45 23 31 12 *",
		"10/25 5 * 3,9 0", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@every 90m", "@every 36h15m10s500ms", "0 */2 * * *",
		"17 0 * * 0", "*/30 0 1-7 * *", "0 1 * 10 sun"}
	texts := []string{"", "* * * *", "* * * * * *", " ", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * 0 *",
		"* * * * 7", "x * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "*/0 * * * *", "5-1 * * * *", "-5 * * * *", "*/-5 * * * *", "a\"b * * * *",
		"* * * foo *", "* * * JAN-mar MON", "99999999999999999999 * * * *", "9223372036854775807 * * * *", "*/9223372036854775807 * * * *",
		"*-5 * * * *", ", * * * *", "+5 * * * *", "1_0 * * * *", "1/ * * * *", "1- * * * *", "/5 * * * *", "*\t* \n* * *", "?/2 ? ? ? ?", "* * * jan/2 sun-2",
		"é * * * *", "\x01 * * * *", "@every", "@every ", "@every 5", "@every 5x", "@every -5m", "@every 1.5h", "@every .5m", "@every .m", "@every 1h-2m", "@every 1é",
		"@every 0", "@every +3m", "@every 9999999999h", "@every 2562047h47m16.854775807s", "@every 2562047h47m16.854775808s", "@every 1\"h", "@Daily", "@foo", "@every 1µs",
		"TZ=0", "TZ=", "CRON_TZ=UTC", "TZ=UTC ", "TZ=UTC @daily", "CRON_TZ=Europe/Berlin  1 2 3 4 5 ", "TZ=No/Where * * * * *", "TZ= * * * * *", "* * * * TZ", "TZ=UTC 61 * * * *",
		"12345678901234567890123 * * * *", "* * 1, * *", "1,,2 * * * *", "* * * * sun,7"}
	var out struct {
		Zones  []Zone   `json:"zones"`
		Parses []Parse  `json:"parses"`
		Nexts  []Next   `json:"nexts"`
		Recent []Recent `json:"recents"`
	}
	for _, text := range texts {
		_, err := parse(text)
		p := Parse{Text: text}
		if err != nil {
			p.Error = err.Error()
		}
		out.Parses = append(out.Parses, p)
	}
	// Around changes of the clocks, and elsewhere; upstream's search never ends at Apia's lost day, so not over that one.
	starts := map[string][]string{
		"UTC":                 {"2027-12-31T23:58:59Z", "2096-03-01T00:00:00Z"},
		"Europe/Berlin":       {"2026-03-28T22:10:00Z", "2026-10-24T22:40:13Z", "2024-02-28T12:00:00Z"},
		"America/New_York":    {"2026-03-08T05:59:59Z", "2026-11-01T03:30:00Z"},
		"Asia/Kathmandu":      {"2026-05-05T18:14:59Z"},
		"Australia/Lord_Howe": {"2026-04-04T13:20:00Z", "2026-10-03T13:20:00Z"},
		"America/St_Johns":    {"2011-03-13T02:00:00Z", "2011-11-06T01:00:00Z", "2026-11-01T02:00:00Z"},
		"Pacific/Apia":        {"2012-01-01T00:00:00Z", "2012-03-31T12:00:00Z"},
		"Africa/Casablanca":   {"2026-02-14T20:00:00Z", "2026-03-21T20:00:00Z"},
		"America/Sao_Paulo":   {"2018-11-02T20:00:00Z", "2018-02-17T20:00:00Z"},
		"Africa/Cairo":        {"2014-05-14T12:00:00Z", "2014-07-31T12:00:00Z", "2026-04-23T12:00:00Z"},
		"Asia/Beirut":         {"2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"},
	}
	for _, name := range zones {
		out.Zones = append(out.Zones, zone(name))
		for _, text := range schedules {
			s, err := parse("TZ=" + name + " " + text)
			if err != nil {
				panic(err)
			}
			for i, start := range starts[name] {
				t, _ := time.Parse(time.RFC3339, start)
				n := Next{Zone: name, Schedule: text, Times: []int64{t.Unix()}}
				for j := 0; j < 5 && !t.IsZero(); j++ {
					t = s.Next(t)
					n.Times = append(n.Times, unix(t))
				}
				out.Nexts = append(out.Nexts, n)
				e, _ := time.Parse(time.RFC3339, start)
				for k, ahead := range []time.Duration{3 * time.Hour, 31*time.Hour + 500*time.Millisecond, 400 * 24 * time.Hour} {
					// Upstream goes on from the year 1 when there is no next time.
					if e.Year() == 2096 || k == 0 && i > 0 {
						continue
					}
					now := e.Add(ahead)
					last, missed, err := mostRecent(e, now, s)
					r := Recent{Zone: name, Schedule: text, Since: e.Unix(), Now: now.UnixMilli(), Many: missed > 100, Error: err != nil, After: unix(nextAfter(e, now, s))}
					if last != nil {
						r.Time = last.Unix()
					}
					out.Recent = append(out.Recent, r)
				}
			}
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}
