//go:build sweep

package repair_test

const stride = 1
