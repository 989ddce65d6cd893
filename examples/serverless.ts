// A serverless handler: nothing is opened before the first invocation, later ones reuse it, and no timer or socket
// keeps the process alive afterwards. Redis where UNIKV_TEST_REDIS_URL names one, else files.
import assert from 'node:assert/strict'
import { cache } from '@unikv/cache'
import { json, keyValue } from '@unikv/core'
import { file } from '@unikv/file'
import { redis } from '@unikv/redis'
import { z } from 'zod'

const Counter = z.object({ clicks: z.number() })
const url = process.env['UNIKV_TEST_REDIS_URL']
const store =
  url === undefined ? file({ directory: './data' }) : redis({ url, dataset: `example_${process.pid}` })

// At module level: made once for each instance of the function. This line loads no driver and connects to nothing.
const links = keyValue(store, [cache({ freshForMs: 1_000 }), json(Counter)], { timeoutMs: 1_000 })

interface Invocation {
  readonly link: string
  /** The time that the platform has left for this invocation. */
  readonly signal: AbortSignal
}

async function handler({ link, signal }: Invocation): Promise<{ statusCode: number; body: string }> {
  const counter = await links.update(link, (found) => ({ clicks: (found?.clicks ?? 0) + 1 }), { signal })
  return { statusCode: 200, body: `${link} was followed ${counter?.clicks} times` }
}

/** Where the platform tells that an instance ends (SIGTERM), it is closed. */
async function shutdown(): Promise<void> {
  await links.clear({ all: true })
  await links.close()
}

// The platform does this:
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
const before = sockets()
const invoke = (link: string) => handler({ link, signal: AbortSignal.timeout(1_000) })

const [first, ...others] = [await invoke('docs'), await invoke('docs'), await invoke('docs')]
assert.equal(first?.body, 'docs was followed 1 times')
assert.equal(others[1]?.body, 'docs was followed 3 times')
assert.ok(sockets() - before <= 1, 'one connection serves all invocations')
console.log(`${links.name}: ${others[1]?.body}, over ${sockets() - before} open connections`)

await shutdown()
assert.equal(sockets(), before, 'nothing is left open')
// No process.exit: the process ends because nothing keeps it.
