"""The message on a loop that may go on without end and was not read as rounds: the noise it draws, if it is seen."""

import ast
from types import FunctionType

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.language.compiled_code import definition_of
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.program_states.program_points import carried_over


def reason_of_loop(mechanism: Mechanism) -> str | None:
    """The reason why the loop of a mechanism is left undecided; None where it has no such loop that can be read."""
    tree = definition_of(mechanism) if type(mechanism) is FunctionType else None
    loops = [] if tree is None else [node for node in ast.walk(tree) if isinstance(node, ast.While)]
    if tree is None or len(loops) != 1 or not tree.args.args:
        return None
    (loop,) = loops
    if tree.args.args[0].arg not in _names(loop):
        return None
    counted = _counted_coins(tree, loop)
    if counted is not None:
        coin, instead = counted
        return reasons.LOOP_COUNTS_COINS.text(line=loop.lineno, coin=coin, instead_of_loop=instead)
    names = sorted(carried_over(loop))
    if not names:
        return None
    return reasons.LOOP_NOT_READ.text(line=loop.lineno, names=" and ".join(names))


def _counted_coins(tree: ast.FunctionDef, loop: ast.While) -> tuple[str, str] | None:
    """The coin and what to write for `while draw(bernoulli(p)): n += 1`, or with `not`; None for another loop."""
    test, is_failure = loop.test, False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, is_failure = test.operand, True
    match test, loop.body:
        case (
            ast.Call(
                ast.Name(draw), [ast.Call(ast.Name("bernoulli") | ast.Attribute(_, "bernoulli"), [chance]) as coin]
            ),
            [ast.AugAssign(ast.Name(counter), ast.Add(), ast.Constant(1))],
        ) if draw == tree.args.args[0].arg and counter not in _names(chance):
            noise = f"draw(geometric({_scale(chance, is_failure=is_failure)}))"
            start = _start(tree, counter)
            return ast.unparse(coin), f"`{counter} = {'' if start == '0' else f'{start} + '}{noise}`"
    return None


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _scale(chance: ast.expr, *, is_failure: bool) -> str:
    """The scale b of the geometric noise with e^(−1/b) the probability of another round."""
    text = ast.unparse(chance)
    if is_failure:
        number = f"Fraction({text})" if isinstance(chance, ast.Constant) else f"({text})"
        return f"-1 / log(1 - {number})"
    match chance:
        case ast.Call(ast.Name("exp"), [ast.UnaryOp(ast.USub(), ast.Constant(int() as power))]) if power:
            return "1" if power == 1 else f"Fraction(1, {power})"
    return f"-1 / log({text})"


def _start(tree: ast.FunctionDef, counter: str) -> str:
    """The code of the number from which is counted."""
    for line in tree.body:
        match line:
            case ast.Assign([ast.Name(name)], value) if name == counter:
                return ast.unparse(value)
    return counter
