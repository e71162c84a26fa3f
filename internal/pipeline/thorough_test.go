//go:build sweep

package pipeline_test

const stride = 1
