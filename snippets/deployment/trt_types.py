"""Know a TensorRT object when a Python file uses one, by its syntax tree."""

import ast

MODULES = {"tensorrt", "tensorrt_rtx", "tensorrt_lean", "tensorrt_dispatch"}
MAKES = {  # what a method returns
    "create_network": "INetworkDefinition",
    "create_builder_config": "IBuilderConfig",
    "create_optimization_profile": "IOptimizationProfile",
    "build_engine": "ICudaEngine",
    "build_engine_with_config": "ICudaEngine",
    "deserialize_cuda_engine": "ICudaEngine",
    "create_execution_context": "IExecutionContext",
}
LAYERS = {
    "convolution": "IConvolutionLayer",
    "deconvolution": "IDeconvolutionLayer",
    "padding": "IPaddingLayer",
    "pooling": "IPoolingLayer",
}
USUAL = {  # what a parameter of this name is, in a file that has TensorRT
    "builder": "Builder",
    "config": "IBuilderConfig",
    "builder_config": "IBuilderConfig",
    "network": "INetworkDefinition",
    "engine": "ICudaEngine",
    "context": "IExecutionContext",
}


# --8<-- [start:types]
class Types(ast.NodeVisitor):
    """Learns from assignments what an expression such as `self.engine` is."""

    def __init__(self, tree: ast.Module):
        self.modules, self.others = set(), set()  # `trt`; `np`, `args`
        self.classes = {}  # `from tensorrt import Builder as B`
        self.known, self.own = {}, set()
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
            return "ILayer" if name == "get_layer" else None
        return "ITensor" if name in ("get_input", "get_output") else None

    def of_item(self, node: ast.expr) -> str | None:
        return "ILayer" if self.of(node) == "INetworkDefinition" else None

    # --8<-- [end:types]
    def learn(self, target: ast.expr, cls: str | None) -> None:
        key = ast.unparse(target)
        self.known[key] = cls or self.known.get(key)

    def visit_Import(self, node):
        for alias in node.names:
            found = self.modules if alias.name in MODULES else self.others
            found.add(alias.asname or alias.name)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if node.module in MODULES:
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

    def visit_For(self, node):
        self.learn(node.target, self.of_item(node.iter))
        self.generic_visit(node)

    def visit_withitem(self, node):
        if node.optional_vars:
            self.learn(node.optional_vars, self.of(node.context_expr))

    def visit_arg(self, node):
        if node.annotation:
            self.learn(ast.Name(node.arg), self.named(node.annotation))

    def visit_FunctionDef(self, node):
        self.own.add(node.name)
        self.generic_visit(node)
