package land

import "landfall/internal/contract"

// Guess lets a test change the contract under which objects are read first.
func Guess(e *Env, change func(contract.Version) contract.Version) { e.guess = change }
