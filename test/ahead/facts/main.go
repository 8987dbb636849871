// Prints what the Go sources of one version declare, as JSON (test/ahead/facts.ts describes it):
// `go run main.go MODULE.zip|FOLDER PATH...`. A path is a file or a folder; `PATH/...` also means the folders below.
package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type Facts struct {
	Packages  map[string][]string            `json:"packages"`
	Types     map[string]Type                `json:"types"`
	Constants map[string]Constant            `json:"constants"`
	Functions map[string]Function            `json:"functions"`
	Gates     map[string][]Stage             `json:"gates"`
	Rights    map[string]map[string][]string `json:"rights"`
}

type Type struct {
	IsKind bool    `json:"isKind"`
	Fields []Field `json:"fields"`
}

type Field struct {
	Go      string   `json:"go"`
	JSON    string   `json:"json"`
	Type    string   `json:"type"`
	Refers  string   `json:"refers"`
	Markers []string `json:"markers"`
}

type Constant struct {
	Type  string `json:"type"`
	Value string `json:"value"`
	Doc   string `json:"doc"`
}

type Function struct {
	Digest string   `json:"digest"`
	Names  []string `json:"names"`
	Texts  []string `json:"texts"`
}

type Stage struct {
	Version string `json:"version"`
	Default bool   `json:"default"`
	Stage   string `json:"stage"`
	Locked  bool   `json:"locked"`
}

var (
	ownModule = regexp.MustCompile(`^k8s\.io/(api|kubernetes)/`)
	left      = regexp.MustCompile(`(_test|\.pb|^zz_generated.*|^types_swagger_doc_generated|^register)\.go$`)
	// Those of a field that change what a client may write.
	marker = regexp.MustCompile(`^\+(featureGate=|required$|k8s:((alpha|beta)\(.*\)=\+k8s:)?(immutable|update=|required|dependentRequired|maxItems|enum))`)
	isLog  = regexp.MustCompile(`^(klog|logger|utilruntime)\b|\b(logger|HandleError\w*)\b|\.V\(`)
	right  = regexp.MustCompile(`NewRule\(([^)]*)\)\.Groups\([^)]*\)\.Resources\(([^)]*)\)`)
	role   = regexp.MustCompile(`saRolePrefix \+ "([\w-]+)"`)
	quoted = regexp.MustCompile(`[^", ]+`)
	facts  = Facts{map[string][]string{}, map[string]Type{}, map[string]Constant{}, map[string]Function{}, map[string][]Stage{}, map[string]map[string][]string{}}
)

// File is a parsed source file.
type File struct {
	folder  string
	source  []byte
	set     *token.FileSet
	imports map[string]string
}

func main() {
	log.SetFlags(0)
	files, err := open(os.Args[1])
	check(err)
	for _, wanted := range os.Args[2:] {
		check(walk(files, wanted))
	}
	check(json.NewEncoder(os.Stdout).Encode(facts))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// open gives the files of a module, from the zip of the module cache or an unpacked folder.
func open(source string) (fs.FS, error) {
	if !strings.HasSuffix(source, ".zip") {
		return os.DirFS(source), nil
	}
	archive, err := zip.OpenReader(source)
	if err != nil {
		return nil, err
	}
	first := archive.File[0].Name
	at := strings.Index(first, "@")
	return fs.Sub(archive, first[:at+strings.Index(first[at:], "/")])
}

// walk reads a path. A missing one is no error: a version may lack it.
func walk(files fs.FS, wanted string) error {
	root, isDeep := strings.CutSuffix(wanted, "/...")
	if _, err := fs.Stat(files, root); err != nil {
		return nil
	}
	return fs.WalkDir(files, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != root && (!isDeep || strings.HasPrefix(entry.Name(), "test")) {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || left.MatchString(entry.Name()) {
			return nil
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return read(name, source)
	})
}

func read(name string, source []byte) error {
	file := File{path.Dir(name), source, token.NewFileSet(), map[string]string{}}
	tree, err := parser.ParseFile(file.set, name, source, parser.ParseComments)
	if err != nil {
		return err
	}
	facts.Packages[file.folder] = append([]string{}, facts.Packages[file.folder]...)
	for _, each := range tree.Imports {
		where, _ := strconv.Unquote(each.Path.Value)
		facts.Packages[file.folder] = append(facts.Packages[file.folder], where)
		file.imports[path.Base(where)] = where
		if each.Name != nil {
			file.imports[each.Name.Name] = where
		}
	}
	for _, each := range tree.Decls {
		switch decl := each.(type) {
		case *ast.FuncDecl:
			file.readFunction(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				file.readSpec(decl.Tok, spec)
			}
		}
	}
	return nil
}

func (f File) text(node ast.Node) string {
	return string(f.source[f.set.Position(node.Pos()).Offset:f.set.Position(node.End()).Offset])
}

func (f File) readFunction(decl *ast.FuncDecl) {
	name := decl.Name.Name
	if decl.Recv != nil {
		receiver, _, _ := strings.Cut(strings.TrimPrefix(f.text(decl.Recv.List[0].Type), "*"), "[")
		name = receiver + "." + name
	}
	if strings.HasPrefix(strings.ToLower(name), "fake") {
		return
	}
	decl.Doc = nil
	facts.Functions[f.folder+"."+name] = f.function(decl)
	if name == "buildControllerRoles" {
		f.readRights(decl.Body)
	}
}

func (f File) readSpec(kind token.Token, each ast.Spec) {
	switch spec := each.(type) {
	case *ast.TypeSpec:
		if structure, is := spec.Type.(*ast.StructType); is {
			facts.Types[f.folder+"."+spec.Name.Name] = f.readType(structure)
		}
	case *ast.ValueSpec:
		for at, name := range spec.Names {
			if at >= len(spec.Values) || name.Name == "_" {
				continue
			}
			id, value := f.folder+"."+name.Name, spec.Values[at]
			if gates, is := value.(*ast.CompositeLit); is && strings.Contains(f.text(gates.Type), "VersionedSpecs") {
				f.readGates(gates)
			} else if kind == token.VAR {
				facts.Functions[id] = f.function(spec)
			} else {
				facts.Constants[id] = Constant{f.refers(spec.Type), f.said(value), spec.Doc.Text()}
			}
		}
	}
}

func (f File) readType(structure *ast.StructType) Type {
	found := Type{Fields: []Field{}}
	for _, each := range structure.Fields.List {
		if each.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(each.Tag.Value)
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		field := Field{"", name, f.text(each.Type), f.refers(each.Type), []string{}}
		if len(each.Names) > 0 {
			field.Go = each.Names[0].Name
		} else if strings.HasSuffix(field.Type, "TypeMeta") {
			found.IsKind = true
		}
		for line := range strings.SplitSeq(each.Doc.Text(), "\n") {
			if marker.MatchString(line) {
				field.Markers = append(field.Markers, line)
			}
		}
		found.Fields = append(found.Fields, field)
	}
	return found
}

// refers names the type in a list, a map or behind a pointer: `batch/v1.JobSpec`.
func (f File) refers(expr ast.Expr) string {
	switch each := expr.(type) {
	case *ast.StarExpr:
		return f.refers(each.X)
	case *ast.ArrayType:
		return f.refers(each.Elt)
	case *ast.MapType:
		return f.refers(each.Value)
	case *ast.SelectorExpr:
		return ownModule.ReplaceAllString(f.imports[f.text(each.X)], "") + "." + each.Sel.Name
	case *ast.Ident:
		return f.folder + "." + each.Name
	}
	return ""
}

func (f File) function(node ast.Node) Function {
	names, texts := map[string]bool{}, []string{}
	ast.Inspect(node, func(each ast.Node) bool {
		if selector, is := each.(*ast.SelectorExpr); is {
			names[selector.Sel.Name] = true
		}
		return true
	})
	ast.Inspect(node, func(each ast.Node) bool { return f.readText(each, &texts) })
	return Function{digest(f.text(node)), slices.AppendSeq([]string{}, maps.Keys(names)), texts}
}

// readText collects what users can see: Events, names of metrics, and words of errors and conditions, but no logs.
func (f File) readText(node ast.Node, texts *[]string) bool {
	switch each := node.(type) {
	case *ast.CallExpr:
		callee := f.text(each.Fun)
		if (strings.HasSuffix(callee, ".Eventf") || strings.HasSuffix(callee, ".Event")) && len(each.Args) > 3 {
			*texts = append(*texts, "Event "+f.said(each.Args[2])+": "+f.said(each.Args[3]))
			return false
		}
		return !isLog.MatchString(callee)
	case *ast.KeyValueExpr:
		if f.text(each.Key) == "Help" {
			return false
		}
		if value := f.said(each.Value); f.text(each.Key) == "Name" && strings.Contains(value, "_") {
			*texts = append(*texts, "metric "+value)
		}
	case *ast.BasicLit:
		if each.Kind == token.STRING && strings.Contains(each.Value, " ") {
			*texts = append(*texts, f.said(each))
		}
	case *ast.Field:
		return false
	}
	return true
}

// said is the text of literals, and of other expressions their source.
func (f File) said(expr ast.Expr) string {
	switch each := expr.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(each.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return f.said(each.X) + f.said(each.Y)
	}
	return f.text(expr)
}

// digest ignores comments, line breaks and the commas that line breaks need.
func digest(source string) string {
	set := token.NewFileSet()
	var scan scanner.Scanner
	scan.Init(set.AddFile("", set.Base(), len(source)), []byte(source), nil, 0)
	words := []string{}
	for {
		_, kind, text := scan.Scan()
		switch {
		case kind == token.EOF:
			return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(words, " "))))[:12]
		case kind == token.SEMICOLON:
			continue
		case (kind == token.RPAREN || kind == token.RBRACE) && len(words) > 0 && words[len(words)-1] == ",":
			words = words[:len(words)-1]
		}
		words = append(words, kind.String()+text)
	}
}

func (f File) readGates(gates *ast.CompositeLit) {
	part := func(text, pattern string) string {
		return append(regexp.MustCompile(pattern).FindStringSubmatch(text), "", "")[1]
	}
	for _, element := range gates.Elts {
		pair := element.(*ast.KeyValueExpr)
		specs, is := pair.Value.(*ast.CompositeLit)
		if !is {
			continue
		}
		name := f.text(pair.Key)
		for _, each := range specs.Elts {
			text := f.text(each)
			facts.Gates[name] = append(facts.Gates[name], Stage{
				part(text, `MustParse\("([\d.]+)"\)`), part(text, `Default:\s*(\w+)`) == "true",
				part(text, `PreRelease:\s*featuregate\.(\w+)`), part(text, `LockToDefault:\s*(\w+)`) == "true",
			})
		}
	}
}

// readRights reads the roles of the built-in controllers. Rules stand in the statement that names the role, or before it.
func (f File) readRights(body *ast.BlockStmt) {
	rules := map[string][]string{}
	for _, statement := range body.List {
		text := f.text(statement)
		for _, found := range right.FindAllStringSubmatch(text, -1) {
			for _, resource := range quoted.FindAllString(found[2], -1) {
				rules[resource] = append(rules[resource], quoted.FindAllString(found[1], -1)...)
			}
		}
		if named := role.FindStringSubmatch(text); named != nil {
			facts.Rights[named[1]], rules = rules, map[string][]string{}
		}
	}
}
