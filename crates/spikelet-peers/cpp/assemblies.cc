// The tests of the reference implementation of assemblies, timed: `assemblies TEST SEED`. It prints one JSON object with the seconds of the
// whole test, and what the test measures. It is compiled with the reference's own brain.h and brain.cc.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "brain.h"
#include "brain_util.h"

using nemo::Brain;
using nemo::NumCommon;
using nemo::ProjectMap;

namespace {

using Neurons = std::vector<uint32_t>;
using Values = std::vector<std::pair<std::string, size_t>>;

constexpr float kMaxWeight = 10000.0f;

Brain WithStimuli(uint32_t n, uint32_t k, float p, float beta, uint32_t seed, int stimuli, bool is_explicit = false) {
  Brain brain(p, beta, kMaxWeight, seed);
  const std::string names[] = {"A", "B"};
  for (int i = 0; i < stimuli; ++i) {
    brain.AddStimulus("Stim" + names[i], k);
    brain.AddArea(names[i], n, k, true, is_explicit);
    brain.AddFiber("Stim" + names[i], names[i]);
  }
  return brain;
}

Neurons Winners(const Brain& brain, const std::string& area) { return brain.GetArea(area).activated; }

Values Projection(uint32_t seed, bool is_explicit) {
  Brain brain = is_explicit ? WithStimuli(250000, 500, 0.01f, 0.05f, seed, 1, true) : WithStimuli(1000000, 1000, 0.001f, 0.05f, seed, 1);
  brain.Project({{"StimA", {"A"}}, {"A", {"A"}}}, 24);
  const Neurons before = Winners(brain, "A");
  brain.SimulateOneStep();
  return {{"kept", NumCommon(before, Winners(brain, "A"))}, {"support", brain.GetArea("A").support}};
}

Values Completion(uint32_t seed) {
  Brain brain = WithStimuli(100000, 317, 0.05f, 0.05f, seed, 1);
  brain.Project({{"StimA", {"A"}}, {"A", {"A"}}}, 25);
  const Neurons whole = Winners(brain, "A");
  Neurons& part = brain.GetArea("A").activated;
  std::mt19937 rng(seed + 1);
  std::shuffle(part.begin(), part.end(), rng);
  part.resize(part.size() / 2);
  brain.Project({{"A", {"A"}}}, 5);
  return {{"recovered", NumCommon(whole, Winners(brain, "A"))}};
}

Values Association(uint32_t seed) {
  Brain brain = WithStimuli(100000, 317, 0.05f, 0.1f, seed, 2);
  brain.AddArea("C", 100000, 317);
  brain.AddFiber("A", "C");
  brain.AddFiber("B", "C");
  const auto phase = [&](ProjectMap first, bool is_new) {
    if (is_new) brain.Project(first, 1);
    first["C"] = {"C"};
    brain.Project(first, is_new ? 9 : 10);
    return Winners(brain, "C");
  };
  const ProjectMap only_a = {{"StimA", {"A"}}, {"A", {"A", "C"}}};
  const ProjectMap only_b = {{"StimB", {"B"}}, {"B", {"B", "C"}}};
  const ProjectMap both = {{"StimA", {"A"}}, {"StimB", {"B"}}, {"A", {"A", "C"}}, {"B", {"B", "C"}}};
  brain.Project({{"StimA", {"A"}}, {"StimB", {"B"}}, {"A", {"A"}}, {"B", {"B"}}}, 10);
  const Neurons a = phase(only_a, false);
  const Neurons b = phase(only_b, true);
  const Neurons joint = phase(both, true);
  const Neurons b_after = phase(only_b, true);
  const Neurons a_after = phase(only_a, true);
  return {{"a_b", NumCommon(a, b)},
          {"a_joint", NumCommon(a, joint)},
          {"b_joint", NumCommon(b, joint)},
          {"a_b_after", NumCommon(a, b_after)},
          {"joint_b_after", NumCommon(joint, b_after)},
          {"b_a_after", NumCommon(b, a_after)},
          {"joint_a_after", NumCommon(joint, a_after)}};
}

Values Merge(uint32_t seed) {
  Brain brain = WithStimuli(100000, 317, 0.01f, 0.05f, seed, 2);
  brain.AddArea("C", 100000, 317);
  brain.AddFiber("A", "C", true);
  brain.AddFiber("B", "C", true);
  ProjectMap both = {{"StimA", {"A"}}, {"StimB", {"B"}}, {"A", {"A", "C"}}, {"B", {"B", "C"}}};
  brain.Project(both, 1);
  both["C"] = {"A", "B", "C"};
  brain.Project(both, 50);
  Values values;
  for (const char* area : {"A", "B", "C"}) values.push_back({std::string("support_") + area, brain.GetArea(area).support});
  const Neurons b = Winners(brain, "B");
  brain.Project({{"StimA", {"A"}}}, 1);
  brain.Project({{"StimA", {"A"}}, {"A", {"A", "C"}}}, 1);
  brain.Project({{"StimA", {"A"}}, {"A", {"A", "C"}}, {"C", {"B", "C"}}}, 1);
  brain.Project({{"StimA", {"A"}}, {"A", {"A", "C"}}, {"C", {"B", "C"}}, {"B", {"B"}}}, 50);
  values.push_back({"recovered", NumCommon(b, Winners(brain, "B"))});
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string test = argv[1];
  const uint32_t seed = std::strtoul(argv[2], nullptr, 10);
  const auto start = std::chrono::steady_clock::now();
  Values values;
  if (test == "projection") values = Projection(seed, false);
  else if (test == "explicit_projection") values = Projection(seed, true);
  else if (test == "completion") values = Completion(seed);
  else if (test == "association") values = Association(seed);
  else if (test == "merge") values = Merge(seed);
  else return 2;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("{\"seconds\": %.6f, \"values\": {", seconds.count());
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf("%s\"%s\": %zu", i ? ", " : "", values[i].first.c_str(), values[i].second);
  }
  std::printf("}}\n");
}
