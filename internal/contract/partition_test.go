package contract_test

import (
	"fmt"
	"testing"

	"landfall/internal/contract"
)

func TestFolders(t *testing.T) {
	keys, folders := contract.Folders("in/dt=2024%2F01/Hour=00/x=__HIVE_DEFAULT_PARTITION__/dt=5%/=y/%20=z/f=1.csv")
	check(t, "keys", fmt.Sprint(keys), "[dt Hour x dt]")
	check(t, "folders", fmt.Sprint(folders), "[{dt 2024/01} {Hour 00} {x __HIVE_DEFAULT_PARTITION__} {dt 5%}]")
	if !folders[2].Null() || folders[0].Null() {
		t.Error("the third is null, and no other")
	}
}
