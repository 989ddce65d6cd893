import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { promisify } from 'node:util'
import { startServer } from '@unikv/test-kit'
import { benchToken, records } from './measure/http-process.ts'
import { budgetRows, ratioLine } from './measure/micro.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { median, medianInterval } from './measure/rounds.ts'

// Reads by HTTP: `http()` over memory, with a token and without one, and over Redis, beside hono with a map and hono with ioredis, written
// by hand. 64 connections, 1 KB, each server in a process of its own, in turn. `wrk` asks; Debian's package has its name. Reads of a
// second of the processor are those that one core serves which does nothing else; reads of a second of the clock are those of the machine, with `wrk`
// and Redis on it.

const rounds = Number(process.env['ROUNDS'] ?? 9)
const seconds = Number(process.env['SECONDS'] ?? 4)
const connections = 64
const names = ['hono', 'unikv', 'token', 'hono and ioredis', 'unikv and redis'] as const
type Name = (typeof names)[number]

/** Reads a second, of the clock and of the server's processor. */
interface Round {
  readonly clock: number
  readonly processor: number
}

const run = promisify(execFile)
const redis = await startServer('redis')
const found = await measured(redis.url).finally(() => redis.stop())
const load = (loadavg()[0] as number).toFixed(2)
printTable(
  `Reads of 1 KB by HTTP, ${connections} connections; load average ${load}`,
  ['server', 'a second of the processor', '95 %', 'a second of the clock'],
  names.map((name) => {
    const processor = found[name].map((round) => round.processor)
    return [
      name,
      median(processor).toFixed(0),
      medianInterval(processor)
        .map((end) => end.toFixed(0))
        .join(' to '),
      median(found[name].map((round) => round.clock)).toFixed(0),
    ]
  }),
)
const memoryReads = median(found.unikv.map((round) => round.processor))
const redisRatio = ratioOf('unikv and redis', 'hono and ioredis')
console.log(`\nunikv over memory beside hono with a map: ${times(ratioOf('unikv', 'hono'))}`)
printTable(
  'Budget',
  ['', 'limit', 'measured', ''],
  budgetRows([
    {
      what: 'over memory, reads a second on one core',
      limit: '≥ 25000',
      measured: memoryReads.toFixed(0),
      kept: memoryReads >= 25_000,
    },
    ratioLine('over Redis, as times hono and ioredis', redisRatio, 'least', 0.8),
  ]),
)
await writeResults('http', { load, found })

/** The median of the ratios of each round. */
function ratioOf(one: Name, other: Name): number {
  return median(found[one].map((round, i) => round.processor / (found[other][i] as Round).processor))
}

/** Every round starts with another server. The first round is not counted. */
async function measured(redisUrl: string): Promise<Readonly<Record<Name, Round[]>>> {
  const started = await Promise.all(names.map((name) => opened(name, redisUrl)))
  const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Round[]>
  for (let round = 0; round <= rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const turn = (i + round) % names.length
      const result = await roundOf(started[turn] as Started)
      if (round > 0) all[names[turn] as Name].push(result)
    }
  }
  for (const { child } of started) child.kill()
  return all
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
}

async function opened(name: Name, redisUrl: string): Promise<Started> {
  const child = fork(new URL('./measure/http-process.js', import.meta.url), [name, redisUrl])
  child.once('exit', (code) => {
    if (code !== null) throw new Error(`The server ${name} ended with ${code}.`)
  })
  const [url] = (await once(child, 'message')) as [string]
  return { child, url }
}

async function roundOf({ child, url }: Started): Promise<Round> {
  const before = await processorUs(child)
  const { stdout } = await run('wrk', [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    `--header=authorization: Bearer ${benchToken}`,
    `${url}/v1/stores/bench/records/key${Math.floor(Math.random() * records)}`,
  ])
  const cpu = (await processorUs(child)) - before
  const [, reads = '0', , clock = '0'] =
    /(\d+) requests in ([\d.]+)s[\s\S]*Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? []
  if (reads === '0' || /Non-2xx/.test(stdout))
    throw new Error(`wrk was not answered as it should be:\n${stdout}`)
  return { clock: Number(clock), processor: (Number(reads) / cpu) * 1_000_000 }
}

async function processorUs(child: ChildProcess): Promise<number> {
  child.send('processor')
  const [us] = (await once(child, 'message')) as [number]
  return us
}
