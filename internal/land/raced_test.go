//go:build race && !sweep

package land_test

// stride is the distance between the calls that the heavier sweeps strike; under
// the race detector each takes many times as long.
const stride = 61

// checks is the number of random cases of each law, "" for rapid's own.
const checks = "15"
