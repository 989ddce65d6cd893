import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { file } from '../../src/index.ts'
import type { Operation } from './history.ts'
import { random } from './random.ts'
import { type Notes, work } from './worker.ts'

/*
 * A process that writes to a folder until it is killed, and tells of every write before it begins and when it is
 * acknowledged, on descriptor 3. On a line of input it stops between two writes, and goes on with the next.
 */

const [directory = '', seed = '0', workers = '1'] = process.argv.slice(2)

function tell(...line: unknown[]): void {
  writeSync(3, `${JSON.stringify(line)}\n`)
}

const notes: Notes = {
  // The same clock in all processes of the machine.
  now: () => Number(process.hrtime.bigint()),
  began: ({ endedAt: _, ...operation }: Operation) => tell('began', operation),
  ended: ({ key, version, endedAt, refused }) => tell('ended', { key, version, endedAt, refused }),
  counts: (key) => tell('counts', key),
  counted: (key) => tell('counted', key),
  failed: (error) => tell('failed', `${error.code} ${error.message} ${String(error.cause)}`),
}

let isPaused = false
let goOn = () => {}
let resting = 0

createInterface({ input: process.stdin }).on('line', () => {
  isPaused = !isPaused
  if (!isPaused) goOn()
})
process.stdin.on('end', () => process.exit())

async function pause(): Promise<void> {
  resting++
  if (resting === Number(workers)) tell('paused')
  await new Promise<void>((resolve) => {
    const others = goOn
    goOn = () => {
      others()
      resolve()
    }
  })
  resting--
}

const store = file({ directory })
const chance = random(Number(seed))

async function workOn(): Promise<void> {
  const own = random(chance.below(2 ** 31))
  while (true) {
    await work(store, own, notes, 1)
    if (isPaused) await pause()
  }
}

for (let i = 0; i < Number(workers); i++) void workOn()
