from dagster import job
from dagster_k8s import k8s_job_op

report = k8s_job_op.configured(
    {
        "namespace": "team-a",
        "image": "busybox",
        "command": ["sh", "-c", "echo done"],
        "load_incluster_config": False,
        "job_spec_config": {
            "backoff_limit": 0,
            "managed_by": "jobledger.dev/job-controller",
        },
    },
    name="report",
)


@job
def nightly():
    report()
