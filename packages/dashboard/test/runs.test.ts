import { listen } from '@unikv/http/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import type { RunningEntry } from '../src/reports.ts'
import { openPage, seriousFaults } from './in-browser.ts'

// Runs of benchmarks that are under way, told by the server and shown by the page.

const token = 'a-token-of-the-tests'
const run: RunningEntry = {
  name: 'now',
  study: 'run',
  stores: ['memory'],
  at: 0,
  done: 1,
  cells: 4,
  text: '1 of 4 measurements are done.',
  now: '<section id="now"><p>second 1</p></section>',
  version: 1,
}
let running: readonly RunningEntry[] = [run]
let soFar = 'one cell'
const reports = {
  list: async () => [{ name: 'now', study: 'run', at: 0, stores: ['memory'], status: 'complete' }],
  page: async () => '<!doctype html><p id="whole" style="color:red">the whole report</p>',
  running: async () => running,
  runningPage: async (name: string) =>
    `<!doctype html><header>${name}</header><main><section id="now"></section><div id="so-far"><p style="color:red">${soFar}</p></div></main>`,
}
const manager = { stores: {}, monitor: undefined, recorder: undefined }
const tokens = [
  { name: 'owner', token },
  { name: 'other', token: 'token-of-one-store', stores: ['users'] },
]
const made = dashboard(manager, { tokens, reports })
let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  server = await listen(made)
})
afterAll(async () => {
  made.close()
  await server.close()
})

function ask(path: string, init: RequestInit = {}, secret = token): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  return made.fetch(new Request(`http://localhost/${path}`, { ...init, headers }))
}

test('runs are told each second, and their page so far opens in a frame', async () => {
  const { body } = await ask('api/runs')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  for (let i = 0; i < 2; i++) {
    const { value = new Uint8Array() } = await reader.read()
    expect(JSON.parse(Buffer.from(value).toString().slice('data: '.length))).toEqual({ running: [run] })
  }
  expect(made.listeners()).toBe(1)
  await reader.cancel()
  const post = { method: 'POST', body: JSON.stringify({ running: 'now' }) }
  const { path } = (await (await ask('api/reports', post)).json()) as { readonly path: string }
  for (const page of [await ask(path, {}, ''), await ask('api/runs/page?name=now')]) {
    expect(await page.text()).toContain('one cell')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; style-src")
  }
  expect((await ask('api/runs/page?name=other')).status).toBe(404)
})

test('they are shown to their owner alone, and to no caller who may use some stores alone', async () => {
  for (const path of ['api/runs', 'api/runs/page?name=now']) {
    expect((await ask(path, {}, 'wrong')).status).toBe(401)
    expect((await ask(path, {}, 'token-of-one-store')).status).toBe(403)
  }
})

test('the page shows a run as it grows, then its report', async () => {
  const { page, problems, close } = await openPage()
  try {
    await page.goto(`${server.url}/#token=${token}`)
    const frame = page.frameLocator('iframe')
    await expect.poll(() => frame.locator('#so-far').textContent()).toBe('one cell')
    expect(await seriousFaults(page)).toEqual([])
    soFar = 'two cells'
    running = [{ ...run, now: run.now.replace('1', '2'), version: 2 }]
    await expect.poll(() => frame.locator('#now').textContent()).toBe('second 2')
    await expect.poll(() => frame.locator('#so-far').textContent()).toBe('two cells')
    running = []
    await expect.poll(() => frame.locator('#whole').textContent()).toBe('the whole report')
    expect(await page.getByText('Under way').count()).toBe(0)
    // The only result is what a reader came for.
    await page.reload()
    await expect.poll(() => frame.locator('#whole').textContent()).toBe('the whole report')
    expect(problems).toEqual([])
  } finally {
    await close()
  }
})
