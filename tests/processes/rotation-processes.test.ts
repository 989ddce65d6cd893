import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isEntry } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { reencrypt } from '@unikv/encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cold, counters, type KeyId, openRotating, ringOf, type Told } from './fixtures/rotation-process.ts'
import { bundle } from './killed-writer.ts'

const longWorkMs = process.env['UNIKV_RUN_MS']
const workMs = Number(longWorkMs ?? 60)
const processes = longWorkMs === undefined ? 4 : 8

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-rotation-'))
  // Beside the tests, as LMDB is a native module that is not bundled.
  script = fileURLToPath(new URL(`../../node_modules/.rotation-worker-${process.pid}.mjs`, import.meta.url))
  await bundle(new URL('fixtures/rotation-worker.ts', import.meta.url), script, ['lmdb'])
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(script, { force: true })
})

/** One process that writes and reads; told what its keyring holds, and heard. */
class Worker {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface

  constructor(path: string, name: number) {
    const child = spawn(process.execPath, [script, path, String(name)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#process = child
    this.#reader = createInterface({ input: child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  async tell(command: string): Promise<void> {
    this.#process.stdin?.write(`${command}\n`)
    expect((await this.#lines.next()).value).toBe(command)
  }

  async stop(): Promise<Told> {
    const ended = once(this.#process, 'exit')
    this.#process.stdin?.write('stop\n')
    const { value } = await this.#lines.next()
    await ended
    return JSON.parse(value as string) as Told
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }
}

test('processes on one LMDB write and read through two rotations, and lose nothing', async () => {
  const path = join(folder, 'data')
  const { store, keys, users } = openRotating(path)
  // Nobody writes these again: they are left to the sweep. The workers read them from their start.
  await users.setMany(cold.map((n) => [`cold ${n}`, n]))
  const workers = Array.from({ length: processes }, (_, i) => new Worker(path, i))
  try {
    await Promise.all(workers.map((worker) => worker.tell('use k1 k1')))
    await pause(workMs)
    let rewritten = 0
    for (const [from, to] of [
      ['k1', 'k2'],
      ['k2', 'k3'],
    ] as const)
      rewritten += await rotate(workers, from, to)
    const told = await Promise.all(workers.map((worker) => worker.stop()))
    expect(told.flatMap(({ failures }) => failures)).toEqual([])
    expect(await keyIds()).toEqual(new Set(['k3']))
    const updates = told.reduce((sum, one) => sum + one.updates, 0)
    const counted = (await users.getMany(counters)) as number[]
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(updates)
    for (const { own } of told)
      for (const [key, value] of Object.entries(own)) expect(await users.get(key), key).toBe(value)
    expect(await users.getMany(cold.map((n) => `cold ${n}`))).toEqual(cold)
    const old = openRotating(path)
    await expect(old.users.get(counters[0] as string)).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    await old.users.close()
    const sum = (of: 'sets' | 'reads') => told.reduce((all, one) => all + one[of], 0)
    console.log(
      `rotation over processes: ${JSON.stringify({ updates, sets: sum('sets'), reads: sum('reads'), rewritten })}`,
    )
    expect(updates).toBeGreaterThan(processes)
    expect(rewritten).toBeGreaterThanOrEqual(2 * cold.length)
  } finally {
    for (const worker of workers) worker.kill()
    await users.close()
  }

  /** Add everywhere, make primary everywhere, sweep until nothing is left, destroy. */
  async function rotate(all: readonly Worker[], from: KeyId, to: KeyId): Promise<number> {
    keys.replace(ringOf(to, [from, to]))
    for (const worker of all) await worker.tell(`use ${from} ${from},${to}`)
    for (const worker of all) {
      await worker.tell(`use ${to} ${from},${to}`)
      await pause(workMs / processes)
    }
    let report = await reencrypt(users, { timeoutMs: 120_000 })
    const { rewritten } = report
    for (let pass = 0; report.rewritten + report.failed > 0 && pass < 20; pass++)
      report = await reencrypt(users, { timeoutMs: 120_000 })
    expect(report).toMatchObject({ rewritten: 0, failed: 0 })
    expect(await keyIds()).toEqual(new Set([to]))
    keys.destroy(from)
    for (const worker of all) await worker.tell(`destroy ${from}`)
    await pause(workMs)
    return rewritten
  }

  /** By the raw bytes: four magic, version, suite, flags, lengths, then the identifiers. */
  async function keyIds(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>()
    for await (const { entries } of store.scan({ prefix: '', pageSize: 100, values: true }, callOptions()))
      for (const { entry } of entries) {
        const value = Buffer.from(isEntry(entry) ? entry.value : [])
        const lengths = value.readUInt8(7)
        const keyAt = 8 + (lengths >> 4)
        ids.add(value.toString('latin1', keyAt, keyAt + (lengths & 15)))
      }
    return ids
  }
}, 300_000)

test('a keyring of another process that never heard of the rotation is told which key it lacks', async () => {
  const path = join(folder, 'late')
  const { keys, users } = openRotating(path)
  keys.replace(ringOf('k2', ['k1', 'k2']))
  await users.set('ada', 1)
  const late = openRotating(path)
  await expect(late.users.get('ada')).rejects.toMatchObject({
    code: 'UNKNOWN_KEY_ID',
    message: expect.stringContaining("'k2'"),
  })
  await Promise.all([users.close(), late.users.close()])
})
