import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { callOptions } from '../src/adapter/index.ts'
import { HttpClient } from '../src/http-client/index.ts'
import { isStoreError } from '../src/index.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A server that answers only when it is told to, and a client of it. */
async function patient(settings: { readonly maxConnections: number; readonly queueLimit: number }) {
  const held: ServerResponse[] = []
  let isOpen = false
  const server = createServer((_request, answer) => {
    if (isOpen) answer.end('there')
    else held.push(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new HttpClient(
    'The server',
    new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    settings,
  )
  ends.push(
    () => client.close(),
    () => server.close(),
  )
  const answerAll = (): void => {
    isOpen = true
    for (const answer of held.splice(0)) answer.end('there')
  }
  return { client, answerAll }
}

const outcomeOf = (work: Promise<{ readonly body: Buffer }>): Promise<string> =>
  work.then(
    ({ body }) => body.toString(),
    (error: unknown) => (isStoreError(error) ? error.code : String(error)),
  )

test('as many requests wait as may, and one more is OVERLOADED at once', async () => {
  const { client, answerAll } = await patient({ maxConnections: 3, queueLimit: 5 })
  const get = () => outcomeOf(client.ask({ method: 'GET', path: '/' }, callOptions(), false))
  const waiting = Array.from({ length: 8 }, get)
  expect(await get()).toBe('OVERLOADED')
  answerAll()
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'there'))
})

test('whoever has its answer may ask again, as many as there may be', async () => {
  const { client, answerAll } = await patient({ maxConnections: 2, queueLimit: 2 })
  answerAll()
  const lane = async (): Promise<void> => {
    for (let n = 0; n < 50; n++)
      expect(await outcomeOf(client.ask({ method: 'GET', path: '/' }, callOptions(), false))).toBe('there')
  }
  await Promise.all([lane(), lane(), lane(), lane()])
})

test('a request that ended without an answer leaves its place', async () => {
  const { client, answerAll } = await patient({ maxConnections: 1, queueLimit: 1 })
  const get = (deadlineAt: number) =>
    outcomeOf(client.ask({ method: 'GET', path: '/' }, callOptions({ deadlineAt }), false))
  const late = performance.now() + 40
  expect(await Promise.all([get(late), get(late)])).toEqual(['TIMEOUT', 'TIMEOUT'])
  answerAll()
  const later = performance.now() + 5_000
  expect(await Promise.all([get(later), get(later)])).toEqual(['there', 'there'])
})

const addressOf = (server: Server): URL =>
  new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

/** As `patient`, with one connection that is taken by a first request, and what came to the server so far. */
async function taken() {
  const came: (string | undefined)[] = []
  const held: ServerResponse[] = []
  const server = createServer((request, answer) => {
    came.push(request.url)
    held.push(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new HttpClient('The server', addressOf(server), { maxConnections: 1, queueLimit: 9 })
  ends.push(
    () => client.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  )
  const put = (path: string, call = callOptions()) =>
    outcomeOf(client.ask({ method: 'PUT', path, body: 'value' }, call, true))
  const first = put('/first')
  await once(server, 'request')
  return { client, server, came, put, first, answer: () => held.shift()?.end('there') }
}

test('a write whose caller was answered while it waited for a connection is never sent', async () => {
  const { server, came, put, first, answer } = await taken()
  const call = callOptions()
  const second = put('/second', call)
  const third = put('/third')
  call.settled = true
  answer()
  expect(await first).toBe('there')
  expect(await second).toBe('TIMEOUT')
  while (came.length < 2) await once(server, 'request')
  answer()
  expect(await third).toBe('there')
  expect(came).toEqual(['/first', '/third'])
})

test('what waits for a connection is given up by close, and nothing of it is sent or connected', async () => {
  const { client, server, came, put, first } = await taken()
  const others = [put('/second'), put('/third')]
  let connections = 0
  server.on('connection', () => connections++)
  client.close()
  expect(await first).toBe('OUTCOME_UNKNOWN')
  expect(await Promise.all(others)).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
  expect(await put('/fourth')).toBe('CLOSED')
  await new Promise((resolve) => void setTimeout(resolve, 100))
  expect([came, connections]).toEqual([['/first'], 0])
})

test('a body that close cuts off is no whole answer', async () => {
  const { server } = await taken()
  server.removeAllListeners('request')
  server.on('request', (_request, answer: ServerResponse) => {
    answer.write('half ')
  })
  const other = new HttpClient('The server', addressOf(server), { maxConnections: 1, queueLimit: 9 })
  ends.push(() => other.close())
  const answer = outcomeOf(other.ask({ method: 'GET', path: '/' }, callOptions(), false))
  setTimeout(() => other.close(), 100)
  expect(await answer).toBe('UNAVAILABLE')
})
