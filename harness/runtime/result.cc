#include <kvrace/result.h>

#include <ostream>
#include <string_view>

#include <kvrace/strategy.h>

namespace kvrace {

const char* to_string(memory_model model) {
  return model == memory_model::sc ? "sc" : model == memory_model::rc11 ? "rc11" : "rc11 as in GenMC";
}

const char* to_string(verdict verdict) {
  switch (verdict) {
    case verdict::proved: return "PROVED";
    case verdict::exhausted: return "EXHAUSTED";
    case verdict::not_found: return "NOT_FOUND";
    case verdict::violation: return "VIOLATION";
    case verdict::incomplete: return "INCOMPLETE";
    case verdict::unsound: return "UNSOUND";
  }
  return "UNSOUND";
}

const char* to_string(operation_kind kind) {
  switch (kind) {
    case operation_kind::start: return "start";
    case operation_kind::load: return "load";
    case operation_kind::store: return "store";
    case operation_kind::read_modify_write: return "read_modify_write";
    case operation_kind::compare_exchange: return "compare_exchange";
    case operation_kind::fence: return "fence";
    case operation_kind::lock: return "lock";
    case operation_kind::try_lock: return "try_lock";
    case operation_kind::unlock: return "unlock";
    case operation_kind::lock_shared: return "lock_shared";
    case operation_kind::try_lock_shared: return "try_lock_shared";
    case operation_kind::unlock_shared: return "unlock_shared";
    case operation_kind::wait: return "wait";
    case operation_kind::reacquire: return "reacquire";
    case operation_kind::timeout: return "timeout";
    case operation_kind::notify_one: return "notify_one";
    case operation_kind::notify_all: return "notify_all";
    case operation_kind::sleep: return "sleep";
    case operation_kind::yield: return "yield";
    case operation_kind::join: return "join";
    case operation_kind::choice: return "choice";
    case operation_kind::assume: return "assume";
    case operation_kind::access: return "access";
    case operation_kind::acquire: return "acquire";
    case operation_kind::try_acquire: return "try_acquire";
    case operation_kind::release: return "release";
    case operation_kind::arrive: return "arrive";
    case operation_kind::await: return "await";
  }
  return "operation";
}

std::string finding::signature() const {
  // The subject's kind without its identity: "block 1" and "block 2" are one signature.
  std::string text = oracle + "|" + subject.substr(0, subject.find_first_of(" 0123456789'"));
  for (const source_site& site : sites) text += "|" + site.file + ":" + std::to_string(site.line);
  return text;
}

std::string digest_text(const graph_certificate& certificate) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : certificate.digest)
    for (unsigned shift = 64; shift > 0;) text += digits[word >> (shift -= 4) & 15U];
  return text;
}

bool result::passed() const {
  return verdict == verdict::proved || verdict == verdict::exhausted || verdict == verdict::not_found;
}

namespace {

// What a program under test says may hold anything; a terminal must not obey it. C0 and C1 controls become \xNN.
std::string shown(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xE0U) == 0x80;
    if (is_c1) byte = static_cast<unsigned char>(text[++i]);
    if (!is_c1 && byte >= 0x20 && byte != 0x7F)
      out += text[i];
    else
      out.append("\\x") += {digits[byte >> 4U], digits[byte & 15U]};
  }
  return out;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const result& result) {
  out << to_string(result.verdict) << ": " << shown(result.claim) << '\n';
  for (const finding& each : result.findings) {
    out << shown(each.oracle) << (each.subject.empty() ? "" : " on " + shown(each.subject)) << ": " << shown(each.message)
        << '\n';
    for (const source_site& site : each.sites)
      if (site.line != 0) out << "  at " << shown(site.file) << ':' << site.line << '\n';
    const bool along_graph = each.schedule.set_up == schedule::setting::graph;
    out << (along_graph ? std::string("  no schedule repeats it: prove the program by graphs again")
                        : "  replay with the schedule \"" + each.schedule.to_string() + "\"")
        << " (run " << each.run << ", step " << each.step << ")\n";
  }
  return out;
}

}  // namespace kvrace
