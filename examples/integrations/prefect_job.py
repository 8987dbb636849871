from prefect_kubernetes import KubernetesJob, run_namespaced_job

report = KubernetesJob(
    namespace="team-a",
    v1_job={
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "report"},
        "spec": {
            "managedBy": "jobledger.dev/job-controller",
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "report", "image": "busybox", "command": ["sh", "-c", "echo done"]}],
                }
            },
        },
    },
)

if __name__ == "__main__":
    run_namespaced_job(report)
