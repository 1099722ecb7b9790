// From tags to trees: routes become lines, runs become progressions of products.
#include <algorithm>
#include <cstdio>

#include "emulator/provenance/provenance_impl.h"

namespace tilescope::emulator {
namespace {

constexpr int kMaxDepth = 24;
constexpr size_t kMaxTerms = 1u << 20;

class Reader {
 public:
  Reader(const Provenance::Impl& impl, const Graph& graph) : impl_(impl), graph_(graph) {}

  Value read(Tags tags, uint32_t route, uint32_t bytes, int depth) {
    Value v;
    v.way = way(route);
    const Tag t = tags.lo ? tags.lo : tags.hi;
    if (t == 0) return v;
    if (is_leaf(t)) {
      v.kind = Value::Kind::element;
      v.origin = origin(t);
      v.bytes = bytes;
    } else if (is_sum(t)) {
      sum(tags, v, depth);
    } else if (is_expression(t) && depth < kMaxDepth) {
      expression(t, v, depth);
    } else {
      v.kind = Value::Kind::unknown;
    }
    return v;
  }

 private:
  struct Term {
    Tag a, b;
    uint32_t a_route, b_route;
  };

  std::vector<int> way(uint32_t route) const {
    std::vector<int> lines;
    for (; route != 0; route = graph_.route(route).before) {
      lines.push_back(impl_.line(graph_.route(route).inst));
      if (lines.size() >= 64) break;
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
  }
  Origin origin(Tag leaf) const {
    const Leaves& leaves = impl_.leaves;
    const Leaves::Buffer* b = is_leaf(leaf) ? leaves.of(leaf) : nullptr;
    return b ? Origin{b->index, 2ull * (leaves.whole(leaf) - b->first), leaves.is_part(leaf)}
             : Origin{};
  }

  void expression(Tag t, Value& v, int depth) {
    const Expression& e = graph_.expression(t);
    if (e.inst == Expression::kSame) {
      std::vector<int> passed = std::move(v.way);
      v = read(e.part[0], e.route[0], 0, depth + 1);
      v.way.insert(v.way.end(), passed.begin(), passed.end());
      return;
    }
    v.kind = Value::Kind::expression;
    v.opcode = impl_.code->opcodes[impl_.code->info[e.inst].opcode];
    v.ptx_line = impl_.line(e.inst);
    for (int i = 0; i < 3; ++i) {
      if (e.part[i].lo == 0 && e.part[i].hi == 0) continue;
      const bool pair = is_leaf(e.part[i].lo) && e.part[i].hi == e.part[i].lo + 1;
      v.parts.push_back(read(e.part[i], e.route[i], pair ? 4 : 2, depth + 1));
    }
  }

  // All runs of the sum, one before the other, as single terms; then the longest even runs again:
  // in the order of elements, whatever the order of the sum was.
  void sum(Tags tags, Value& v, int depth) {
    v.kind = Value::Kind::sum;
    std::vector<Term> terms;
    Tag later_a = 0, later_b = 0;  // of the run that was added behind this one
    bool first = true;
    while (is_sum(tags.lo)) {
      const Run run = graph_.run(tags.lo);
      const uint32_t count = std::min(tags.hi & ~kCountTag, run.count);
      if (first) v.ptx_line = impl_.line(run.inst);
      v.a_ascends = ascends(run.a, run.a_step, count, later_a) && v.a_ascends;
      v.b_ascends = ascends(run.b, run.b_step, count, later_b) && v.b_ascends;
      if (first && !is_sum(run.before.lo) && is_leaf(run.a)) {  // one run: as it is
        add(v, run.a, run.b, run.a_route, run.b_route, count, static_cast<uint32_t>(run.a_step),
            static_cast<uint32_t>(run.b_step));
        if (run.before.lo || run.before.hi) {
          v.parts.push_back(read(run.before, run.before_route, 4, depth + 1));
        }
        return;
      }
      first = false;
      if (terms.size() + count > kMaxTerms) {
        v.kind = Value::Kind::unknown;
        return;
      }
      for (uint32_t i = 0; i < count; ++i) {
        terms.push_back({run.a + i * static_cast<uint32_t>(run.a_step),
                         run.b + i * static_cast<uint32_t>(run.b_step), run.a_route, run.b_route});
      }
      tags = run.before;
      if (!is_sum(tags.lo) && (tags.lo || tags.hi)) {
        if (depth < kMaxDepth) v.parts.push_back(read(tags, run.before_route, 4, depth + 1));
      }
    }
    // Products with parts of elements behind those without.
    const Leaves& leaves = impl_.leaves;
    std::stable_sort(terms.begin(), terms.end(), [&leaves](const Term& x, const Term& y) {
      const bool part_x = leaves.is_part(x.b), part_y = leaves.is_part(y.b);
      return part_x != part_y ? part_y : x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    for (size_t i = 0; i < terms.size();) {
      size_t end = i + 1;
      const uint32_t da = end < terms.size() ? terms[end].a - terms[i].a : 0;
      const uint32_t db = end < terms.size() ? terms[end].b - terms[i].b : 0;
      while (end < terms.size() && terms[end].a - terms[end - 1].a == da &&
             terms[end].b - terms[end - 1].b == db &&
             origin(terms[end].a).buffer == origin(terms[i].a).buffer &&
             origin(terms[end].b).buffer == origin(terms[i].b).buffer) {
        ++end;
      }
      add(v, terms[i].a, terms[i].b, terms[i].a_route, terms[i].b_route, end - i, da, db);
      i = end;
    }
  }

  /// Of a run's factors, and what comes behind them; what is no element is passed over.
  static bool ascends(Tag from, int32_t step, uint32_t count, Tag& later) {
    if (!is_leaf(from)) return true;
    const Tag last = from + (count - 1) * static_cast<uint32_t>(step);
    const bool here = (count < 2 || step > 0) && (later == 0 || last < later);
    later = from;
    return here;
  }

  void add(Value& v, Tag a, Tag b, uint32_t a_route, uint32_t b_route, size_t count, uint32_t da,
           uint32_t db) const {
    Products p;
    p.a = origin(a);
    p.b = origin(b);
    p.a_way = way(a_route);
    p.b_way = way(b_route);
    p.count = count;
    if (count > 1) {
      p.a_step = 2 * int64_t{static_cast<int32_t>(da)};
      p.b_step = 2 * int64_t{static_cast<int32_t>(db)};
    }
    if (!p.a) {  // padding times an element, say
      std::swap(p.a, p.b);
      std::swap(p.a_way, p.b_way);
      std::swap(p.a_step, p.b_step);
    }
    v.products.push_back(std::move(p));
  }

  const Provenance::Impl& impl_;
  const Graph& graph_;
};

std::string origin_text(Origin o, int64_t step, const Memory& memory) {
  const std::string& name = memory.name(o.buffer);
  std::string text = (o.part ? "part of " : "") +
                     (name.empty() ? "buffer " + std::to_string(o.buffer) : name) + "[+" +
                     std::to_string(o.offset);
  if (step) text += (step > 0 ? ", +" : ", ") + std::to_string(step) + " …";
  return text + "]";
}

std::string way_text(const std::vector<int>& way) {
  std::string text;
  for (int line : way) text += (text.empty() ? "" : " → ") + std::to_string(line);
  return text.empty() ? text : " (PTX lines " + text + ")";
}

}  // namespace

Value value_of(const Provenance::Impl& impl, const Graph& graph, Tags tags, uint32_t route,
               uint32_t bytes, int depth) {
  return Reader(impl, graph).read(tags, route, bytes, depth);
}

Value value_at(const Provenance::Impl& impl, const Followed& followed, const Followed::Page& page,
               size_t i, uint32_t bytes) {
  Tags tags{page.tag[i] == kPlainTag ? 0 : page.tag[i], 0};
  if (bytes > 2 && i + 1 < page.tag.size() && page.tag[i + 1] != kPlainTag) {
    tags.hi = page.tag[i + 1];
  }
  if (bytes <= 2) tags = followed.graph.widen(tags.lo);
  return value_of(impl, followed.graph, tags, page.route[i], bytes);
}

uint64_t Value::terms() const {
  uint64_t n = 0;
  for (const Products& p : products) n += p.count;
  return n;
}

std::string to_text(const Value& v, const Memory& memory) {
  std::string text;
  switch (v.kind) {
    case Value::Kind::none:
      return "nothing of a buffer";
    case Value::Kind::unknown:
      return "not known";
    case Value::Kind::element:
      return origin_text(v.origin, 0, memory) + way_text(v.way);
    case Value::Kind::sum:
      for (const Value& part : v.parts) text += to_text(part, memory) + " + ";
      for (const Products& p : v.products) {
        if (&p != &v.products.front()) text += " + ";
        if (p.count > 1) text += "Σ ";
        text += origin_text(p.a, p.a_step, memory) + way_text(p.a_way);
        if (p.b) text += " · " + origin_text(p.b, p.b_step, memory) + way_text(p.b_way);
        if (p.count > 1) text += ", " + std::to_string(p.count) + " terms";
      }
      return text;
    case Value::Kind::expression:
      for (const Value& part : v.parts) text += (text.empty() ? "" : ", ") + to_text(part, memory);
      return v.opcode + "(" + text + ")";
  }
  return text;
}

}  // namespace tilescope::emulator
