// This file joins Kubernetes' own integration tests of its Job controller when `npm run test:upstream -- --integration` builds
// them: the API server is one that runs, and so is the controller, outside of this process. The functions have upstream's names,
// and upstream's own are renamed (test/upstream/integration-tests.ts).
package job

import (
	"context"
	"os"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/kubernetes/test/integration/framework"
	"k8s.io/utils/ptr"
)

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

// setup gives each test a namespace of its own; upstream's has an API server of its own. At its end the Jobs are deleted, so that
// the controller leaves them alone.
func setup(t testing.TB, nsBaseName string) (framework.TearDownFunc, *restclient.Config, clientset.Interface, *v1.Namespace) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatalf("cannot read KUBECONFIG: %v", err)
	}
	config.QPS = restConfigQPS
	config.Burst = restConfigBurst
	clientSet, err := clientset.NewForConfig(config)
	if err != nil {
		t.Fatalf("cannot connect: %v", err)
	}
	ctx := context.Background()
	named := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: nsBaseName + "-"}}
	ns, err := clientSet.CoreV1().Namespaces().Create(ctx, named, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("cannot create a namespace: %v", err)
	}
	tearDown := func() {
		background := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}
		if err := clientSet.BatchV1().Jobs(ns.Name).DeleteCollection(ctx, background, metav1.ListOptions{}); err != nil {
			t.Logf("cannot delete the Jobs of %s: %v", ns.Name, err)
		}
	}
	return tearDown, config, clientSet, ns
}

// externalController stands for the controller that already runs.
type externalController struct{}

func (externalController) Run(ctx context.Context, _ int) {
	<-ctx.Done()
}

func createJobControllerWithSharedInformers(tb testing.TB, _ *restclient.Config, _ informers.SharedInformerFactory) (externalController, context.Context, context.CancelFunc) {
	_, ctx := ktesting.NewTestContext(tb)
	ctx, cancel := context.WithCancel(ctx)
	return externalController{}, ctx, cancel
}

func startJobControllerAndWaitForCaches(tb testing.TB, restConfig *restclient.Config, _ ...informers.SharedInformerOption) (context.Context, context.CancelFunc) {
	_, ctx, cancel := createJobControllerWithSharedInformers(tb, restConfig, nil)
	return ctx, cancel
}

// setJobPhaseForIndex waits for the pod, which appears a moment after the Job's change: the controller is not in this process.
func setJobPhaseForIndex(ctx context.Context, clientSet clientset.Interface, jobObj *batchv1.Job, phase v1.PodPhase, ix int) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, wait.ForeverTestTimeout, true, func(ctx context.Context) (bool, error) {
		last = upstream_setJobPhaseForIndex(ctx, clientSet, jobObj, phase, ix)
		return last == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

// The metrics are those of a controller in this process, which does not run.
func resetMetrics() {}

func validateCounterMetric(context.Context, *testing.T, *basemetrics.CounterVec, metricLabelsWithValue) {}
