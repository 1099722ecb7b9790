"""Circles of includes, among files and among rooms (the folders that rules.py has a row for)."""
import os
import re

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def include_graph(root, files):
    """{file: the project's files that it includes}."""
    known = set(files)
    graph = {}
    for path in files:
        if not path.endswith((".h", ".cpp", ".cuh", ".cu", ".c")):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            names = _INCLUDE.findall(file.read())
        beside = os.path.dirname(path)
        graph[path] = {found for name in names
                       for found in (name, os.path.normpath(os.path.join(beside, name)))
                       if found in known and found != path}
    return graph


def circles(graph):
    """Each group of nodes that reach one another, as one of its circles: [a, b, …, a]."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(start):
        work = [(start, iter(sorted(graph.get(start, ()))))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(sorted(graph.get(to, ())))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = set()
                    while node not in group:
                        group.add(stack.pop())
                    on.difference_update(group)
                    if len(group) > 1:
                        found.append(_one_circle(graph, group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def _one_circle(graph, group):
    """The shortest way from the group's first node back to it."""
    first = min(group)
    ways = [[first]]
    seen = set()
    for way in ways:
        for to in sorted(graph[way[-1]] & group):
            if to == first:
                return way + [first]
            if to not in seen:
                seen.add(to)
                ways.append(way + [to])
    return []


def room_graph(graph, room_of):
    """{room: rooms whose files its files include}, and an example of each: {(a, b): (file, file)}."""
    rooms, examples = {}, {}
    for path, included in graph.items():
        a = room_of(path)
        if a is None:
            continue
        rooms.setdefault(a, set())
        for other in sorted(included):
            b = room_of(other)
            if b is not None and b != a:
                rooms[a].add(b)
                examples.setdefault((a, b), (path, other))
    return rooms, examples
