// A peer for the bench of expressions and an oracle for its tests: the reference's library for the
// language, asked in lines of JSON.
//
//	{"measure": {"rule": ..., "variables": {...}, "types": {"self": "map(string, int)"}, "ms": 500}}
//	{"judge":   {"rule": ..., "variables": {...}, "budget": 100000}}
//
// A variable without a type is dyn. Every line is answered by one line.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

type question struct {
	Rule      string            `json:"rule"`
	Variables map[string]any    `json:"variables"`
	Types     map[string]string `json:"types"`
	Ms        int               `json:"ms"`
	Budget    uint64            `json:"budget"`
}

type line struct {
	Measure *question `json:"measure"`
	Judge   *question `json:"judge"`
}

// Whole numbers are ints, as in the data of resources.
func withInts(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		number, _ := v.Float64()
		return number
	case map[string]any:
		for key, member := range v {
			v[key] = withInts(member)
		}
	case []any:
		for i, item := range v {
			v[i] = withInts(item)
		}
	}
	return value
}

// As the servers of the reference set it.
var freePresence = interpreter.PresenceTestHasCost(false)

func environmentFor(q *question) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		ext.Bindings(),
		ext.TwoVarComprehensions(),
		ext.Strings(ext.StringsVersion(2)),
	}
	for name := range q.Variables {
		typed := cel.DynType
		if q.Types[name] == "map(string, int)" {
			typed = cel.MapType(cel.StringType, cel.IntType)
		}
		options = append(options, cel.Variable(name, typed))
	}
	return cel.NewEnv(options...)
}

func compiled(env *cel.Env, rule string, options ...cel.ProgramOption) (cel.Program, error) {
	ast, issues := env.Compile(rule)
	if issues != nil && issues.Err() != nil {
		return nil, issues.Err()
	}
	return env.Program(ast, options...)
}

const batch = 200

func perSecond(ms int, run func()) float64 {
	best := 0.0
	for round := 0; round < 4; round++ {
		count := 0
		start := time.Now()
		limit := time.Duration(ms) * time.Millisecond
		for time.Since(start) < limit {
			for i := 0; i < batch; i++ {
				run()
			}
			count += batch
		}
		// The first round warms up.
		if rate := float64(count) / time.Since(start).Seconds(); round > 0 && rate > best {
			best = rate
		}
	}
	return best
}

func measure(q *question) any {
	env, err := environmentFor(q)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	program, err := compiled(env, q.Rule, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTrackerOptions(freePresence), cel.CostLimit(1000000))
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	value, _, err := program.Eval(q.Variables)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	evaluations := perSecond(q.Ms, func() { program.Eval(q.Variables) })
	compilations := perSecond(q.Ms, func() { compiled(env, q.Rule, cel.EvalOptions(cel.OptOptimize)) })
	return map[string]any{
		"value":        shown(value),
		"evaluations":  evaluations,
		"compilations": compilations,
	}
}

func judge(q *question) any {
	env, err := environmentFor(q)
	if err != nil {
		return map[string]any{"kind": "broken", "text": err.Error()}
	}
	ast, issues := env.Compile(q.Rule)
	if issues != nil && issues.Err() != nil {
		return map[string]any{"kind": "invalid", "text": issues.Err().Error()}
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTrackerOptions(freePresence), cel.CostLimit(q.Budget))
	if err != nil {
		return map[string]any{"kind": "invalid", "text": err.Error()}
	}
	answer := map[string]any{"type": ast.OutputType().String()}
	value, details, err := program.Eval(q.Variables)
	if details != nil && details.ActualCost() != nil {
		answer["cost"] = *details.ActualCost()
	}
	if err != nil {
		answer["kind"], answer["text"] = "error", err.Error()
	} else {
		answer["kind"], answer["value"] = "value", shown(value)
	}
	return answer
}

// A text that is the same for equal values of one type.
func shown(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.String:
		text, _ := json.Marshal(string(v))
		return string(text)
	case types.Bytes:
		return fmt.Sprintf("bytes(%x)", []byte(v))
	case types.Int:
		return fmt.Sprintf("%d", int64(v))
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		return fmt.Sprintf("double(%v)", float64(v))
	case types.Bool:
		return fmt.Sprintf("%v", bool(v))
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional(" + shown(v.GetValue()) + ")"
	case traits.Lister:
		items := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, shown(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, shown(key)+": "+shown(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	}
	return value.Type().TypeName()
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		text, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			var asked line
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			var answer any = map[string]any{"kind": "broken", "text": "no question"}
			if failed := decoder.Decode(&asked); failed != nil {
				answer = map[string]any{"kind": "broken", "text": failed.Error()}
			} else if asked.Measure != nil {
				withInts(asked.Measure.Variables)
				answer = measure(asked.Measure)
			} else if asked.Judge != nil {
				withInts(asked.Judge.Variables)
				answer = judge(asked.Judge)
			}
			encoded, _ := json.Marshal(answer)
			out.Write(encoded)
			out.WriteByte('\n')
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			break
		}
	}
	out.Flush()
}
