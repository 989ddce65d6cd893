import { EventEmitter, once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KeyValue, Supporting } from '@unikv/core'
import { loadConfig, openStores } from '@unikv/manager'
import { expect, test } from 'vitest'
import { commandsOfGuide, inProcess, root } from './command-line.ts'

const requests = 32
const guide = new URL('../../../docs/guides/several-stores.md', import.meta.url)

test('the commands of the guide work on its configuration', async () => {
  const yaml = /```yaml\n(.*?)```/s.exec(await readFile(guide, 'utf8'))?.[1] as string
  await writeFile(join(root, 'unikv.config.yaml'), yaml)
  process.env['DATA_DIR'] = root
  const manager = await openStores(await loadConfig(join(root, 'unikv.config.yaml')))
  await manager.stores['notes']?.set('x', 'y')
  await manager.recorder?.flush()
  // A store that holds nothing yet does not answer.
  await inProcess(['set', 'users', 'ada', '{"name":"Somebody"}'])
  const outputs: string[] = []
  for (const command of await commandsOfGuide('several-stores')) {
    const { code, out, err } = await inProcess(command)
    expect([code, err], command.join(' ')).toEqual([0, ''])
    outputs.push(out)
  }
  await manager.close()
  expect(outputs[0]).toMatch(/users +✓ +answers in/)
  expect(outputs.slice(1, 5)).toEqual(['', '{"name":"Ada"}\n', 'ada\n', '1\n'])
  expect(outputs[5]).toContain('1 process')
  expect(outputs[6]).toContain('No figures of this time') // the command line is not monitored
})

test('the program of the guide answers the requests that are under way when it is told to end', async () => {
  const code = /```ts\n(.*?)```/s.exec(await readFile(guide, 'utf8'))?.[1] as string
  const program = fileURLToPath(new URL('../../../.cache/several-stores/program.ts', import.meta.url))
  await mkdir(dirname(program), { recursive: true })
  await writeFile(program, code)
  const { start } = (await import(program)) as {
    readonly start: (config: object) => Promise<{
      readonly server: Server
      readonly stores: { readonly visits: KeyValue<string, unknown, Supporting<'increment'>> }
      readonly end: () => Promise<void>
    }>
  }
  const { server, stores, end } = await start({ stores: { visits: 'memory:' } })
  const ends = new EventEmitter()
  const onward = once(ends, 'begun')
  let under = 0
  // A request of two calls, between which it waits for the end of the program to begin.
  server.removeAllListeners('request').on('request', async (_, response) => {
    await stores.visits.increment('visits')
    if (++under === requests) ends.emit('all')
    if (under <= requests) await onward
    const visits = await stores.visits.increment('visits').catch(() => undefined)
    response.writeHead(visits === undefined ? 500 : 200).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const ask = () =>
    new Promise<number | undefined>((done, fail) =>
      get({ port, agent }, (answer) => done(answer.resume().statusCode)).on('error', fail),
    )
  const statuses: unknown[] = []
  // A client goes on asking over its connection until it is refused.
  const client = async () => {
    for (;;) statuses.push(await ask())
  }
  const waiting = once(ends, 'all')
  const clients = Promise.allSettled(Array.from({ length: requests }, client))
  await waiting
  const whole = end()
  setImmediate(() => ends.emit('begun'))
  await Promise.all([whole, clients])
  expect(statuses.length).toBeGreaterThanOrEqual(requests)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test.each([
  ['watched', { keepIn: 'metrics' }, 0, ''],
  [
    'wrongly watched',
    { keepIn: 'metric' },
    2,
    "monitor.keepIn: there is no store 'metric'. Did you mean 'metrics'?",
  ],
  ['kept too often', { keepIn: 'metrics', flushMs: 1 }, 2, 'monitor: `flushMs` of recorder() must be'],
])('check looks at the monitor too, and records nothing: %s', async (_, monitor, exitCode, words) => {
  const metrics = `lmdb:${join(root, 'checked')}`
  const stores = { users: { url: 'memory:', monitored: true }, metrics }
  await writeFile(join(root, 'watched.json'), JSON.stringify({ stores, monitor }))
  const { code, err } = await inProcess(['check', '--config', 'watched.json'])
  expect([code, err]).toEqual([exitCode, expect.stringContaining(words)])
  const counted = await inProcess(['count', metrics, '--namespace', 'unikv.monitor'])
  expect(counted.out === '0\n' || counted.err.startsWith('unikv: There is no store: ')).toBe(true)
})

test('check names the stores that do not answer, and fails', async () => {
  const stores = { near: 'memory:', kept: `lmdb:${join(root, 'kept')}`, far: 'redis://127.0.0.1:1' }
  await writeFile(join(root, 'far.json'), JSON.stringify({ stores }))
  const { code, out } = await inProcess(['check', '--config', 'far.json', '--timeout', '1'])
  expect(code).toBe(1)
  expect(out).toMatch(/near +✓ +answers/)
  expect(out).toMatch(/far +✗ +(UNAVAILABLE|TIMEOUT)/)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  const json = await inProcess(['check', '--config', 'far.json', '--timeout', '1', '--json'])
  expect(JSON.parse(json.out)).toMatchObject({
    isReady: false,
    stores: { near: { isReady: true }, kept: { server: { storedBytes: expect.any(Number) } } },
  })
})

test.each([
  [['check', '--config', 'none.yaml'], 'none.yaml: there is no such file.'],
  [['check', '--timeout', '0'], 'It must be a number from 0.1 to 600.'],
])('%j is refused', async (args, words) => {
  const { code, err } = await inProcess(args)
  expect(err).toContain(words)
  expect(code).toBe(2)
})
