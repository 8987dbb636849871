import json
import sys
import time

from jobledger_client import AuthenticatedClient
from jobledger_client.api.jobs import get_job
from jobledger_client.api.operate import submit_job
from jobledger_client.api.why import why_job
from jobledger_client.models import JobManifestInput

url, token, name = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token)
manifest = JobManifestInput.from_dict(json.load(sys.stdin))
created = submit_job.sync(client=client, cluster="local", body=manifest)
deadline = time.monotonic() + 90
while True:
    found = get_job.sync_detailed(client=client, job=name, uid=created.uid)
    if found.status_code == 200 and found.parsed.finished_at is not None:
        break
    if time.monotonic() > deadline:
        sys.exit(f"{name} has not ended: {found.content!r}")
    time.sleep(0.5)
why = why_job.sync(client=client, job=name, uid=created.uid)
print(json.dumps({"status": found.parsed.status, "why": [answer.message for answer in why.answers]}))
