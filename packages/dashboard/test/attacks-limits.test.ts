import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { afterAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'

// Callers that ask for more than is good for the others: streams without end, streams that nobody reads, and many reports.

const token = 'a-token-of-the-tests'
const headers = { authorization: `Bearer ${token}` }
const manager = await openStores({ stores: { users: 'memory:' }, monitor: true })
const reports = { list: async () => [], page: async () => '<script>alert(1)</script>' }
const page = dashboard(manager, { tokens: [{ name: 'owner', token, may: 'admin' }], reports })
const server = await listen(page)
afterAll(async () => {
  page.close()
  await server.close()
  await manager.close()
})

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return page.fetch(new Request(`http://127.0.0.1/${path}`, { headers, ...init }))
}

async function opened(): Promise<string> {
  const typed = { ...headers, 'content-type': 'application/json' }
  const answer = await ask('api/reports', { method: 'POST', headers: typed, body: '{"names":["a"]}' })
  return ((await answer.json()) as { path: string }).path
}

test('a report runs no code, and leads nowhere', async () => {
  const policy = (await ask(await opened())).headers.get('content-security-policy')
  expect(policy).toMatch(/default-src 'none'.*form-action 'none'.*sandbox allow-same-origin$/)
  expect(policy).not.toContain('script')
})

test('of many reports the latest can be opened', async () => {
  const first = await opened()
  for (let i = 0; i < 1_000; i++) await opened()
  expect([(await ask(first)).status, (await ask(await opened())).status]).toEqual([404, 200])
})

test.each(['api/live', 'api/stores/users/walk', 'api/runs'])(
  '%s that nobody reads takes no place',
  async (path) => {
    for (let i = 0; i < 1_001; i++) await ask(path, { method: 'HEAD' })
    const answer = await ask(path)
    await answer.body?.cancel()
    expect(answer.status).toBe(200)
  },
)

// All 10,000 were tried by hand: 1,000 were told, 9,000 refused, in 193 MB.
test('streams without end have a limit, keep nobody waiting, and leave with their readers', async () => {
  const live = `${server.url}/api/live`
  const leaving = new AbortController()
  const streams = await Promise.all(
    Array.from({ length: 1_010 }, () => fetch(live, { headers, signal: leaving.signal })),
  )
  expect(streams.filter(({ status }) => status === 503).length).toBe(10)
  expect((await fetch(`${server.url}/api/overview`, { headers })).status).toBe(200)
  leaving.abort()
  let status: number
  do {
    const again = await fetch(live, { headers })
    await again.body?.cancel()
    status = again.status
  } while (status === 503)
  expect(status).toBe(200)
})
