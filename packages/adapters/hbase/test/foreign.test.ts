import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterEach, expect, test } from 'vitest'
import { bytes, fresh } from './fresh.ts'

describeWith('hbase', (url) => {
  /** Which requests are not passed on, and what is answered to them. */
  let lie: { readonly to: RegExp; readonly body: string } | undefined
  const ends: (() => void)[] = []
  afterEach(() => {
    lie = undefined
    for (const end of ends.splice(0)) end()
  })

  /** A store behind a proxy that answers 404 of its own, as one does that has lost its way to the gateway. */
  async function lost() {
    const server = createServer((incoming, answer) => {
      const { method = '', url: path = '', headers } = incoming
      if (lie?.to.test(`${method} ${path}`) === true) {
        incoming.resume()
        answer.writeHead(404, { 'content-type': 'text/plain' }).end(lie.body)
        return
      }
      const passed = httpRequest(url + path, { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 0, answered.headers)
        answered.pipe(answer)
      })
      incoming.pipe(passed)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(() => {
      server.close()
      server.closeAllConnections()
    })
    return keyValue(fresh({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
  }

  test.each([
    ['no words', ''],
    ['a page', '<html><h1>404 Not Found</h1></html>'],
    ['words like those for a row', 'Not found\r\n'],
  ])('a 404 of someone in between with %s is no miss and no empty listing', async (_, body) => {
    const kv = await lost()
    await kv.set('key', bytes('v'))
    lie = { to: /^GET/, body }
    for (const read of [() => kv.get('key'), () => kv.has('key'), () => kv.count()])
      expect(await codeOf(read())).toBe('UNAVAILABLE')
    expect(await codeOf(kv.getMany(['key', 'other']))).toMatch(/^(UNAVAILABLE|PARTIAL)$/)
    lie = undefined
    expect(await kv.getMany(['key', 'absent'])).toEqual([bytes('v'), undefined])
    expect(await kv.get('absent')).toBeUndefined()
  })

  test('a 404 of someone in between to a write leaves its outcome unknown', async () => {
    const kv = await lost()
    await kv.set('key', bytes('v'))
    lie = { to: /^PUT/, body: 'default backend - 404' }
    expect(await codeOf(kv.set('key', bytes('w')))).toBe('OUTCOME_UNKNOWN')
    expect(await codeOf(kv.set('new', bytes('w'), { ifVersion: null }))).toBe('OUTCOME_UNKNOWN')
  })

  test('a condition that was refused, and whose reason cannot be read, leaves the outcome unknown', async () => {
    // The gateway itself may have asked twice, and been refused for what it did the first time.
    const kv = await lost()
    await kv.set('taken', bytes('v'))
    lie = { to: /^GET/, body: '' }
    expect(await codeOf(kv.set('taken', bytes('w'), { ifVersion: null }))).toBe('OUTCOME_UNKNOWN')
  })

  test('a 404 of someone in between on opening is neither a missing table nor an old gateway', async () => {
    const kv = await lost()
    for (const to of [/schema/, /multiget/]) {
      lie = { to, body: '' }
      expect(await codeOf(kv.get('key'))).toBe('UNAVAILABLE')
    }
  })
})
