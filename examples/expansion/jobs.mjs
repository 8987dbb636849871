// More than one parameter for each Job: a program instead of a template. What it prints is for kubectl:
//   node jobs.mjs | kubectl apply -f -
const parameters = [
  { name: 'apple', url: 'http://dbpedia.org/resource/Apple' },
  { name: 'banana', url: 'http://dbpedia.org/resource/Banana' },
  { name: 'cherry', url: 'http://dbpedia.org/resource/Cherry' },
];

const labels = { jobgroup: 'jobexample-urls' };

const job = ({ name, url }) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: `jobexample-${name}`, labels },
  spec: {
    managedBy: 'jobledger.dev/job-controller',
    template: {
      metadata: { name: 'jobexample', labels },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'busybox:1.28',
            command: ['sh', '-c', `echo Processing URL ${url} && sleep 5`],
          },
        ],
        restartPolicy: 'Never',
      },
    },
  },
});

console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: parameters.map(job) }));
