// Command contender does one workload of the benchmarks that the landfall command
// does not do as it is (make bench).
//
//	contender w4 IN OUT          the schemas of Parquet files, folded
//	contender w5 IN STATE        land once, then poll: both by the landfall beside it
//	contender w7 IN OUT          commits alone, then a snapshot
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("found %d arguments, want WORKLOAD IN OUT", len(args))
	}
	switch in, out := args[1], args[2]; args[0] {
	case "w4":
		return footers(in, out)
	case "w5":
		return poll(ctx, in, out)
	case "w7":
		return commits(ctx, in, out)
	}
	return fmt.Errorf("found workload %s, want w4, w5 or w7", args[0])
}

// tell prints what the harness reads of a contender.
func tell(said map[string]any) error {
	line, err := json.Marshal(map[string]any{"bench": said})
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(line))
	return err
}
