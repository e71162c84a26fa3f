package conform

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

// folder is a k=v folder whose value no column takes: it is rescued or ignored
// with every row.
type folder struct {
	key     key
	value   []byte
	ignored bool
	misfits Misfits
}

// planFolders finds the folder that each column of the contract has its value
// from, and keeps the values of the others.
func (f *Fitter) planFolders(keys []contract.Key) map[int]contract.Folder {
	columns := make(map[int]contract.Folder)
	inner := make(map[string]string) // folded key → value of the innermost folder
	for i, k := range keys {
		folder := f.object.Partitions[i]
		if !k.Outer {
			inner[schema.Fold(k.Name)] = folder.Value
		}
		if k.Column >= 0 && !k.Outer {
			columns[k.Column] = folder
		}
	}
	for i, k := range keys {
		folder := f.object.Partitions[i]
		if k.Why != "" && (!k.Outer || inner[schema.Fold(k.Name)] != folder.Value) {
			f.keepFolder(folder, k.Why, k.Reserved)
		}
	}
	return columns
}

// keepFolder rescues a folder's value, or ignores it as the policy says.
func (f *Fitter) keepFolder(from contract.Folder, why string, reserved bool) {
	if from.Value == contract.NullFolder {
		return
	}
	f.folders = append(f.folders, folder{
		key: key{name: from.Key}, value: []byte(from.Value), ignored: f.kept(why, reserved) == ignored,
		misfits: Misfits{Column: from.Key, Why: why},
	})
}

// countFolders accounts for the values of folders as for cells of each row.
func (f *Fitter) countFolders(s *column.Slab, c *Counts) {
	rows := int64(s.Rows())
	if rows == 0 {
		return
	}
	for i := range f.folders {
		fl := &f.folders[i]
		c.Cells += rows
		if fl.ignored {
			c.Ignored += rows
		} else {
			c.Rescued += rows
		}
		if fl.misfits.Count == 0 {
			fl.misfits.Record = s.Records[0]
		}
		fl.misfits.Count += rows
	}
}
