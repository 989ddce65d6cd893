import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { inClone } from './run.ts'

const run = promisify(execFile)

/** Ends whatever was started, the last first. */
const ends: (() => unknown)[] = []
/** Each answer is another one. */
let answers = 0
let redis: OwnServer
let folder: string
let environment: NodeJS.ProcessEnv
let servers: Served[]

interface Served {
  readonly url: string
  readonly output: () => string
  stop(): Promise<void>
}

beforeAll(async () => {
  const origin = createServer((_, response) => void response.end(`answer ${++answers}`))
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  ends.push(() => origin.close())
  redis = await ownServer('redis')
  ends.push(() => redis.stop())
  const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...inherited } = process.env
  environment = {
    ...inherited,
    NEXT_TELEMETRY_DISABLED: '1',
    ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}`,
    REDIS_URL: redis.url,
  }
  folder = await realpath(await mkdtemp(join(tmpdir(), 'unikv-next-')))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  await cp(inClone('tests/outside/next'), folder, { recursive: true })
  const options = { cwd: folder, env: environment, maxBuffer: 2 ** 26 }
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], options)
  for (const name of ['core', 'next', 'redis'])
    await cp(join(inject('bare'), 'node_modules/@unikv', name), join(folder, 'node_modules/@unikv', name), {
      recursive: true,
    })
  await run(process.execPath, ['node_modules/next/dist/bin/next', 'build'], options)
  servers = await Promise.all([serve(), serve()])
}, 900_000)

afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

/** One more process of the application. */
async function serve(): Promise<Served> {
  const args = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1']
  const child = spawn(process.execPath, args, { cwd: folder, env: environment })
  let output = ''
  const url = new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(output)))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part
        const [, found] = /(http:\/\/127\.0\.0\.1:\d+)[^]*Ready/.exec(output) ?? []
        if (found !== undefined) resolve(found)
      })
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  ends.push(stop)
  return { url: await url, output: () => output, stop }
}

async function shown(server: number, path: string): Promise<string> {
  const response = await fetch(servers[server]?.url + path)
  const text = await response.text()
  return /id="value">([^<]*)</.exec(text)?.[1] ?? `${response.status} ${text}`
}

/** Next.js answers before it has called the handlers: `changed` waits for them. */
async function revalidate(server: number, what: Record<string, string>): Promise<void> {
  const query = new URLSearchParams(what)
  const response = await fetch(`${servers[server]?.url}/revalidate?${String(query)}`, { method: 'POST' })
  expect(response.status).toBe(200)
}

/** The text that a process shows in place of `before`, as soon as it does. */
async function changed(server: number, path: string, before: string): Promise<string> {
  const seen = expect.poll(async () => shown(server, path), { timeout: 60_000, interval: 20 })
  await seen.not.toBe(before)
  return shown(server, path)
}

/** The text that all processes show: the same, again and again. */
async function agreed(path: string): Promise<string> {
  const seen: string[] = []
  for (const server of [0, 1, 0, 1]) seen.push(await shown(server, path))
  expect(new Set(seen).size, `${path}: ${seen.join(', ')}`).toBe(1)
  expect(seen[0]).toMatch(/^answer \d+$/)
  return seen[0] ?? ''
}

const tagged = [
  ['/fetched', 'fetched'],
  ['/cached', 'cached'],
  ['/live', 'live'],
  ['/feed', 'feed'],
  ['/items/1', 'items'],
] as const
const paths = [...tagged.map(([path]) => path), '/legacy']

test.each(paths)('both processes show the same: %s', async (path) => {
  await agreed(path)
})

test.each(tagged)(
  'a tag is revalidated in one process, the other one shows a new one: %s',
  async (path, tag) => {
    const before = await agreed(path)
    await revalidate(0, { tag })
    const after = await changed(1, path, before)
    expect(await agreed(path)).toBe(after)
  },
)

test.each(tagged)('with a profile the old one is shown until the new one is there: %s', async (path, tag) => {
  const before = await agreed(path)
  await revalidate(1, { tag, profile: 'max' })
  expect(await shown(0, path)).toBe(before)
  await changed(0, path, before)
  await expect.poll(async () => agreed(path).catch(() => undefined), { timeout: 60_000 }).toBeDefined()
})

test.each(['/fetched', '/cached', '/live', '/items/1'])('a path is revalidated: %s', async (path) => {
  const before = await agreed(path)
  await revalidate(1, { path })
  expect(await changed(0, path, before)).toBe(await agreed(path))
})

test('a process that starts shows what the others show', async () => {
  const before = await Promise.all(paths.map(agreed))
  await servers[0]?.stop()
  servers[0] = await serve()
  expect(await Promise.all(paths.map(agreed))).toEqual(before)
})

test('without the store each request is answered anew, and the failures are told', async () => {
  const before = answers
  await redis.kill()
  for (const path of paths) expect(await shown(0, path)).toMatch(/^answer/)
  expect(answers).toBeGreaterThanOrEqual(before + paths.length)
  expect(servers[0]?.output()).toContain('UNAVAILABLE')
  await redis.restart()
  await expect.poll(async () => agreed('/live').catch(() => undefined), { timeout: 60_000 }).toBeDefined()
})
