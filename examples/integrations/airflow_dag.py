from datetime import datetime

from airflow.providers.cncf.kubernetes.operators.job import KubernetesJobOperator
from airflow.sdk import DAG
from kubernetes.client import V1Job, V1JobSpec, V1PodTemplateSpec

with DAG("nightly", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False) as dag:
    KubernetesJobOperator(
        task_id="report",
        name="report",
        namespace="team-a",
        image="busybox",
        cmds=["sh", "-c", "echo done"],
        backoff_limit=0,
        wait_until_job_complete=True,
        discover_pods_retry_number=1000,
        full_job_spec=V1Job(spec=V1JobSpec(managed_by="jobledger.dev/job-controller", template=V1PodTemplateSpec())),
    )
