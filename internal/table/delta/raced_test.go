//go:build race

package delta

// stride is the distance between the calls that the sweeps strike; under the race
// detector each takes many times as long, and most of a sweep is one goroutine's.
const stride = 4
