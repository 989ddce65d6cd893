import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '@unikv/test-kit'
import { againstCases } from './measure/against-cases.ts'
import { ownProcess } from './measure/own-process.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved, type Outcome } from './measure/rounds.ts'

// Is this clone slower than another one? `AGAINST=<folder of a built clone> npm run bench -- against`. Rounds of both
// take turns, each in a process of its own.

const other = process.env['AGAINST']
if (other === undefined) {
  console.log('against: AGAINST names no built clone to compare with; nothing to do.')
} else {
  await compare(resolve(other))
}

async function compare(clone: string): Promise<void> {
  const here = fileURLToPath(new URL('../..', import.meta.url))
  const module = new URL('./measure/against-process.js', import.meta.url)
  const rounds = Number(process.env['ROUNDS'] ?? 15)
  const names = process.env['CASES']?.split(';') ?? Object.keys(againstCases)
  const servers = await Promise.all([startServer('redis'), startServer('postgres')])
  process.env['UNIKV_TEST_REDIS_URL'] = servers[0].url
  process.env['UNIKV_TEST_POSTGRES_URL'] = servers[1].url
  const results: { readonly name: string; readonly outcomes: readonly Outcome[] }[] = []
  for (const name of names) {
    const sides = [clone, here].map((root) => ownProcess(module, `${root}\n${name}`))
    results.push({ name, outcomes: await interleaved(sides, rounds) })
  }
  printTable(
    `This clone against another one, ${rounds} rounds`,
    ['', 'there, µs', 'here, µs', 'here ÷ there', '95 %'],
    results.map(({ name, outcomes: [there, own] }) => rowOf(name, there as Outcome, own as Outcome)),
  )
  await writeResults('against', { rounds, results })
  await Promise.all(servers.map((server) => server.stop()))
}

function rowOf(name: string, there: Outcome, own: Outcome): string[] {
  const interval = own.latencyInterval.map((end) => end.toFixed(3)).join(' to ')
  return [name, there.p50Us.toFixed(3), own.p50Us.toFixed(3), own.latencyRatio.toFixed(3), interval]
}
