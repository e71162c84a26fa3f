//go:build !sweep

package repair_test

// stride is how many calls a sweep goes on by: each has its turn under the tag sweep.
const stride = 7
