//go:build !sweep

package pipeline_test

// stride is how many calls the sweeps go on by; each has its turn under the tag sweep.
const stride = 101
