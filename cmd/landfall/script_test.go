package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram makes the test binary run as the program itself.
const asProgram = "LANDFALL_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	testscript.Main(m, map[string]func(){
		"landfall": main,
	})
}

// TestScript runs what users type and compares what they see.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("LANDFALL_UPDATE") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"parquet": parquetScript, "cut": cutScript, "encrypted": encryptedScript, "empty": emptyScript,
			"hook": hookScript, "mail": mailScript,
		},
		Setup: withHook,
	})
}
