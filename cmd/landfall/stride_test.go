//go:build !sweep

package main

// stride is how many calls the sweep of pipelines goes on by; each has its turn under the
// tag sweep.
const stride = 8
