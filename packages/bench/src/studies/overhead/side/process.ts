import { isStoreError } from '@unikv/core'
import { isError, setTimeout } from '@unikv/core/platform'
import { clientOf, type OpenedSide } from './client-of.ts'
import type { Answer, Order } from './messages.ts'
import { Work } from './work.ts'

// One side in a process of its own, apart from the compiled code and the garbage of the other.

let side: OpenedSide | undefined
let work: Work | undefined

/** How long it may take to remove records when the parent is gone. */
const longestMs = 60_000

let last: Promise<Answer> | undefined

process.on('SIGINT', () => {}) // Ctrl-C reaches all processes of a terminal: the parent ends this one when it has cleaned up.
process.once('disconnect', () => void ended().finally(() => process.exit()))
process.on('message', async (order: Order) => {
  last = answered(order).catch(failed)
  process.send?.(await last)
  if (order.type === 'end') process.disconnect()
})

/** It ends with its parent, and removes its records where the parent has not asked for that. */
async function ended(): Promise<void> {
  setTimeout(() => process.exit(), longestMs)
  work?.stop()
  await last
  await removed()
}

async function removed(): Promise<void> {
  const one = side
  side = undefined
  await one?.client.remove()
  await one?.close()
}

async function answered(order: Order): Promise<Answer> {
  if (order.type === 'start') {
    side = await clientOf(order.start)
    work = new Work(side, order.start)
    return {}
  }
  if (order.type === 'load') await work?.load(order.from, order.to)
  if (order.type === 'run') return { sample: await work?.run(order.operation, order.durationMs) }
  if (order.type === 'end') await removed()
  return {}
}

function failed(error: unknown): Answer {
  const code = isStoreError(error) ? error.code : undefined
  return { error: { code, message: isError(error) ? error.message : String(error) } }
}
