"""Know a TensorRT object when a Python file uses one, by its syntax tree."""

import ast

from trt_classes import EVERY_CLASS, GETS, LAYERS, MAKES, MODULES, USUAL


class Types(ast.NodeVisitor):
    """Learns from assignments what an expression such as `self.engine` is."""

    def __init__(self, tree: ast.Module):
        self.modules, self.others = set(), set()  # `trt`; `np`, `args`
        self.classes = {}  # `from tensorrt import Builder as B`
        self.known, self.own, self.starred = {}, set(), set()
        self.visit(tree)
        if self.has_tensorrt():
            self.visit(tree)  # with what the end of the file has told

    def has_tensorrt(self) -> bool:
        return bool(self.modules or self.classes)

    def named(self, node: ast.expr) -> str | None:
        """Return the class that an expression names: `trt.BuilderFlag`."""
        if isinstance(node, ast.Attribute):
            ours = ast.unparse(node.value) in self.modules
            return node.attr if ours else None
        return self.classes.get(getattr(node, "id", None))

    def annotated(self, node: ast.expr | None) -> str | None:
        """Return the class in `B`, `"B"`, `B | None` or `Optional[B]`."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:  # a text that is no annotation
                return None
        if isinstance(node, ast.BinOp):
            return self.annotated(node.left) or self.annotated(node.right)
        if isinstance(node, ast.Subscript):
            optional = ast.unparse(node.value).endswith("Optional")
            return self.annotated(node.slice) if optional else None
        return node and self.named(node)

    def of(self, node: ast.expr) -> str | None:
        """Return the class of an expression's value, None if not known."""
        if isinstance(node, ast.Name | ast.Attribute):
            key = ast.unparse(node)
            if key in self.known or not self.has_tensorrt():
                return self.known.get(key)
            return USUAL.get(key.removeprefix("self.").lstrip("_"))
        if isinstance(node, ast.Subscript):
            return self.of_item(node.value)
        if not isinstance(node, ast.Call):
            return None
        if self.named(node.func) or not isinstance(node.func, ast.Attribute):
            return self.named(node.func)
        name = node.func.attr
        if name in MAKES:
            return MAKES[name]
        if self.of(node.func.value) == "INetworkDefinition":
            kind = name.removeprefix("add_").removesuffix("_nd")
            if kind != name:
                made = LAYERS.get(kind, "ILayer")
                return "ITensor" if kind == "input" else made
            return GETS.get(name)
        return "ITensor" if name in ("get_input", "get_output") else None

    def of_item(self, node: ast.expr) -> str | None:
        return "ILayer" if self.of(node) == "INetworkDefinition" else None

    def learn(self, target: ast.expr, cls: str | None) -> None:
        key = ast.unparse(target)
        self.known[key] = cls or self.known.get(key)

    def visit_Import(self, node):
        for alias in node.names:
            found = self.modules if alias.name in MODULES else self.others
            found.add(alias.asname or alias.name)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if node.module in MODULES and alias.name == "*":
                self.classes.update({name: name for name in EVERY_CLASS})
                self.starred |= EVERY_CLASS
            elif node.module in MODULES:
                self.classes[alias.asname or alias.name] = alias.name
            else:
                self.others.add(alias.asname or alias.name)

    def visit_Assign(self, node):
        for target in node.targets:
            self.learn(target, self.of(node.value))
            if cls := self.named(node.value):  # Flag = trt.BuilderFlag
                self.classes[ast.unparse(target)] = cls
            if isinstance(target, ast.Attribute):
                self.own.add(target.attr)

    def visit_AnnAssign(self, node):
        cls = self.annotated(node.annotation)
        self.learn(node.target, cls or (node.value and self.of(node.value)))
        if isinstance(node.target, ast.Attribute):
            self.own.add(node.target.attr)

    def visit_For(self, node):
        self.learn(node.target, self.of_item(node.iter))
        self.generic_visit(node)

    def visit_withitem(self, node):
        if node.optional_vars:
            self.learn(node.optional_vars, self.of(node.context_expr))

    def visit_arg(self, node):
        if node.annotation:
            self.learn(ast.Name(node.arg), self.annotated(node.annotation))

    def visit_FunctionDef(self, node):
        self.own.add(node.name)
        self.generic_visit(node)
