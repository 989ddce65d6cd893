import { entrants } from './measure/cache-hit-entrants.ts'
import { budgetRows, ratioLine } from './measure/micro.ts'
import { ownProcess } from './measure/own-process.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { interleaved, median, type Outcome, type Round } from './measure/rounds.ts'

// Cost of a cached get: 1,000 hot keys, a small object, `await` in a loop. Against an async function around a bare
// lru-cache that counts hits and times one in 16, and against other caches in their default modes. Every round of each
// is a process of its own, as they would spoil each other's compiled code otherwise. Medians of interleaved rounds;
// within a round, the median of many chunks, so that what else the machine does falls on few.

const rounds = Number(process.env['ROUNDS'] ?? 7)

const module = new URL('./measure/cache-hit-process.js', import.meta.url)
const names = Object.keys(entrants)
const contestants = names.map((name) => ownProcess<string>(module, name))
const outcomes = await interleaved(contestants, rounds)
const at = (name: string): Outcome => outcomes[names.indexOf(name)] as Outcome
const bare = 'async function around lru-cache, 1 in 16 timed'
const ours = 'unikv: monitor + cache + json'
const inTwoTiers = 'unikv: monitor + two tiers + json'
/** Round by round, how many times as long as another contestant this one takes. */
const ratio = (name: string, to: string): number =>
  median(at(name).rounds.map(({ p50Us }, round) => p50Us / (at(to).rounds[round] as Round).p50Us))

printTable(
  `A cached get of a small object, ${rounds} rounds`,
  ['', 'sharing', 'ns', '× bare lru-cache', 'unikv is … × as fast'],
  outcomes.map(({ name, p50Us }, i) => [
    name,
    contestants[i]?.said ?? '',
    (p50Us * 1_000).toFixed(0),
    times(ratio(name, bare)),
    /^(unikv|async)/.test(name) ? '' : times(ratio(name, ours)),
  ]),
)

const budget = [
  ratioLine('monitor + cache + json, to lru-cache in an async function', ratio(ours, bare), 'most', 1.8),
  ratioLine('monitor + two tiers + json', ratio(inTwoTiers, bare), 'most', 1.8),
  ratioLine('the first, every hit timed', ratio('unikv: the same, every hit timed', bare), 'most', 2.6),
  ratioLine('faster than keyv', ratio('keyv 5', ours), 'least', 12),
  ratioLine('faster than cacheable', ratio('cacheable 2', ours), 'least', 20),
  ratioLine('faster than bentocache', ratio('bentocache 1', ours), 'least', 20),
  ratioLine('faster than unstorage', ratio('unstorage 1', ours), 'least', 7),
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('cache-hit', {
  rounds,
  contestants: outcomes.map((outcome, i) => ({ ...outcome, sharing: contestants[i]?.said })),
  budget,
})
