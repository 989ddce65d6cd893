import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { Relay } from '../src/relay/relay.ts'
import { routeOf } from '../src/relay/route.ts'

test('a proxy passes everything on, in its order, and not before the delay', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const route = routeOf('redis', `redis://:secret@127.0.0.1:${(echo.address() as AddressInfo).port}/3`)
  const proxy = await Relay.start(route.address, { delayMs: 20, mbits: 1 })
  const { hostname, port, password, pathname } = new URL(route.through(proxy.port))
  expect([hostname, password, pathname]).toEqual(['127.0.0.1', 'secret', '/3'])
  const socket = connect(Number(port), hostname)
  const startedAt = performance.now()
  for (let i = 0; i < 1_000; i++) socket.write(`${i},`)
  const expected = Array.from({ length: 1_000 }, (_, i) => `${i},`).join('')
  let found = ''
  let firstAt = 0
  for await (const chunk of socket) {
    if (firstAt === 0) firstAt = performance.now()
    found += String(chunk)
    if (found.length >= expected.length) break
  }
  expect(found).toBe(expected)
  // No timed limit: it cannot be earlier, however busy the machine is. Each byte takes 8 µs to the server, and 8 µs back.
  expect(firstAt - startedAt).toBeGreaterThanOrEqual(20)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(20 + expected.length * 0.008)
  await proxy.close()
  echo.close()
})

test.each([
  ['valkey://u:p%40@h/3?dataset=d', 'h:6379', 'valkey://u:p%40@127.0.0.1:9/3?dataset=d'],
  ['postgres://u:p@[::1]:77/db', '::1:77', 'postgres://u:p@127.0.0.1:9/db'],
  ['mongodb://h/db', 'h:27017', 'mongodb://127.0.0.1:9/db?directConnection=true'],
  ['memcached://h', 'h:11211', 'memcached://127.0.0.1:9'],
  ['s3://b/p?region=x&endpoint=http://h:90', 'h:90', 's3://b/p?region=x&endpoint=http%3A%2F%2F127.0.0.1%3A9'],
])('%s is reached by way of a proxy', (url, address, through) => {
  const route = routeOf('far', url)
  expect(`${route.address.host}:${route.address.port}`).toBe(address)
  expect(route.through(9)).toBe(through)
})

test.each([
  ['lmdb:./l', 'it is in this process'],
  ['module:./mine.ts', 'it is in this process'],
  ['rediss://h', 'its connections are by TLS'],
  ['rediss+cluster://h', 'its connections are by TLS'],
  ['redis+cluster://h', 'its driver connects to addresses that the servers tell'],
  ['redis+unix:///s', 'it is reached by a socket'],
  ['postgres://h/d?sslmode=verify-full', 'its connections are by TLS'],
  ['mongodb+srv://h/d', 'its connections are by TLS'],
  ['mongodb://a,b/d', 'it has several servers'],
  ['postgres:///d?host=/run', 'its URL names no'],
  ['cassandra://h/k', 'its driver connects to addresses that the servers tell'],
  ['dynamodb://t?region=x', 'its connections are by TLS'],
])('%s cannot have one, and the reason is told', (url, why) => {
  expect(() => routeOf('far', url)).toThrow(`far cannot have one: ${why}`)
})
