//go:build !race

package delta

// stride is the distance between the calls that the sweeps strike.
const stride = 1
