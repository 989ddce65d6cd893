import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isEntry, keyValue, type SetManyEntry } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { MemoryCapabilities, MemoryStore } from '@unikv/core/memory'
import { open } from '@unikv/stores'
import { Random } from '@unikv/test-kit/schedules'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'

/** It is the built program that is killed: npm run build first. */
const program = fileURLToPath(new URL('../../packages/unikv/bin/unikv.js', import.meta.url))
const records = Number(process.env['UNIKV_RECORDS'] ?? 2_000)
const longKills = process.env['UNIKV_KILLS']
const kills = Number(longKills ?? 1)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const random = new Random(seed)
const folder = mkdtempSync(join(tmpdir(), 'unikv-copy-kill-'))
afterAll(() => rm(folder, { recursive: true }))

/** A process is killed within so long: in a long copy again and again, and a short one may be over before. */
const killedWithinMs = Math.min(300 + records * 0.15, 30_000)

/** Both stores can what this one can, as far as it is used here. */
type Opened = MemoryStore
const opened = (url: string): Opened => open(url) as unknown as Opened

const valueOf = (i: number): string => `{"name":"user ${i}","number":${(i * 7_919) % 100_003}}`
const keyOf = (i: number): string => `user:${i}`
/** Within milliseconds; records of a store with another precision are not used here. */
const expiryOf = (i: number, now: number): number | undefined =>
  i % 10 === 0 ? now + 86_400_000 + i : undefined

async function fill(store: Opened, now: number): Promise<void> {
  const kv = keyValue(store)
  for (let from = 0; from < records; from += 1_000) {
    const numbers = Array.from({ length: Math.min(1_000, records - from) }, (_, i) => from + i)
    await kv.setMany(
      numbers.map((i): SetManyEntry<string, Uint8Array, MemoryCapabilities> => {
        const expiresAt = expiryOf(i, now)
        const value = Buffer.from(valueOf(i))
        return expiresAt === undefined ? [keyOf(i), value] : [keyOf(i), value, { expiresAt }]
      }),
    )
  }
}

/** Everything that is there is right, and nothing else is. */
async function check(store: Opened, now: number): Promise<void> {
  const seen = new Uint8Array(records)
  for await (const { entries } of store.scan({ prefix: '', pageSize: 1_000, values: true }, callOptions()))
    for (const { key, entry } of entries) {
      const i = Number(/^user:(\d+)$/.exec(key)?.[1] ?? -1)
      if (i < 0 || i >= records || !isEntry(entry)) throw new Error(`${JSON.stringify(key)} is left behind`)
      if (Buffer.from(entry.value).toString() !== valueOf(i)) throw new Error(`${key} has another value`)
      if (entry.expiresAt !== expiryOf(i, now)) throw new Error(`${key} expires at another time`)
      seen[i] = 1
    }
  expect(seen.indexOf(0)).toBe(-1)
}

interface Ended {
  readonly code: number | null
  readonly err: string
  /** Largest resident size in bytes, where the system tells. */
  readonly maxRss: number
}

/** Run the program, and kill it after some time, if one is given. */
async function unikv(args: readonly string[], killAfterMs?: number): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let err = ''
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  let maxRss = 0
  const watch = setInterval(() => (maxRss = Math.max(maxRss, peakOf(child.pid))), 200)
  const over = once(child, 'close') as Promise<[number | null]>
  if (killAfterMs !== undefined) void pause(killAfterMs).then(() => child.kill('SIGKILL'))
  const [code] = await over
  clearInterval(watch)
  return { code, err, maxRss }
}

function peakOf(pid: number | undefined): number {
  try {
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(found?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

interface Tally {
  killed: number
  maxRss: number
  resumed: number
}

/** Run a command again and again: killed until there were enough kills, and then to its end. */
async function toTheEnd(args: readonly string[], tally: Tally, resume: readonly string[]): Promise<void> {
  let isBegun = false
  for (;;) {
    const isLast = tally.killed >= kills
    const { code, err, maxRss } = await unikv(
      isBegun ? [...args, ...resume] : args,
      isLast ? undefined : 400 + random.below(killedWithinMs),
    )
    tally.maxRss = Math.max(tally.maxRss, maxRss)
    if (code === null) tally.killed += 1
    // Killed in the moment when all was done: its mark was removed, or the snapshot had its name.
    if (code === 0 || (code === 2 && /no unfinished copy to resume|is there already/.test(err))) return
    if (code !== null) throw new Error(`exit ${code}: ${err}`)
    if (isBegun) tally.resumed += 1
    isBegun = resume.length > 0
  }
}

async function emptied(url: string): Promise<void> {
  const store = opened(url)
  await keyValue(store).clear({ all: true, timeoutMs: 600_000 })
  await store.close()
}

/** Copy with kills until there were enough of them: a copy that was not killed at all is made again. */
async function proved(name: string, from: string, to: string, now: number): Promise<void> {
  const tally: Tally = { killed: 0, maxRss: 0, resumed: 0 }
  do {
    await emptied(to)
    await toTheEnd(['copy', from, to], tally, ['--resume'])
  } while (tally.killed < kills)
  const target = opened(to)
  await check(target, now)
  await target.close()
  tell(name, tally)
}

function tell(name: string, { killed, maxRss, resumed }: Tally): void {
  const line = `${name}: ${records} records, ${killed} kills, ${resumed} of them after a resume, at most ${Math.round(maxRss / 1_048_576)} MiB, seed ${seed}`
  console.log(line)
}

describeWith('redis', (redisUrl) => {
  describeWith('postgres', (postgresUrl) => {
    const dataset = `copykill${process.pid}`
    const redis = `${redisUrl}?dataset=${dataset}`
    const postgres = `${postgresUrl}?dataset=${dataset}`
    const again = `${redisUrl}?dataset=${dataset}b`

    test('killed copies and snapshots lose nothing, double nothing, and leave nothing behind', async () => {
      const now = Date.now()
      const store = opened(redis)
      await fill(store, now)
      await store.close()
      await proved('redis to postgres', redis, postgres, now)
      // In the short form the snapshot goes that way.
      if (longKills !== undefined) await proved('postgres to redis', postgres, again, now)
      await killedSnapshots(postgres, again, now)
      for (const url of [redis, postgres, again]) await emptied(url)
    }, 3_600_000)
  })
})

/** A snapshot begins again after a kill; a restore goes on. */
async function killedSnapshots(from: string, to: string, now: number): Promise<void> {
  const file = join(folder, 'all.snapshot')
  const key = join(folder, 'key')
  await writeFile(key, randomBytes(32).toString('hex'))
  const writing: Tally = { killed: 0, maxRss: 0, resumed: 0 }
  do {
    await rm(file, { force: true })
    await toTheEnd(['snapshot', from, file, '--key-file', key], writing, [])
  } while (writing.killed < kills)
  expect(existsSync(`${file}.partial`)).toBe(false)
  tell('snapshot of postgres', writing)
  const reading: Tally = { killed: 0, maxRss: 0, resumed: 0 }
  do {
    await emptied(to)
    await toTheEnd(['restore', file, to, '--key-file', key], reading, ['--resume'])
  } while (reading.killed < kills)
  const target = opened(to)
  await check(target, now)
  await target.close()
  tell('restore into redis', reading)
}
