import { isStoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { clientOf, type OpenedSide } from './client-of.ts'
import type { Answer, Order } from './messages.ts'
import { Work } from './work.ts'

// One side in a process of its own, apart from the compiled code and the garbage of the other.

let side: OpenedSide | undefined
let work: Work | undefined

// It ends with its parent.
process.on('SIGINT', () => {}) // Ctrl-C reaches all processes of a terminal: the parent ends this one when it has cleaned up.
process.once('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  process.send?.(await answered(order).catch(failed))
  if (order.type === 'end') process.disconnect()
})

async function answered(order: Order): Promise<Answer> {
  if (order.type === 'start') {
    side = await clientOf(order.start)
    work = new Work(side, order.start)
    return {}
  }
  if (order.type === 'load') await work?.load(order.from, order.to)
  if (order.type === 'run') return { sample: await work?.run(order.operation, order.durationMs) }
  if (order.type === 'end') {
    await side?.client.remove()
    await side?.close()
  }
  return {}
}

function failed(error: unknown): Answer {
  const code = isStoreError(error) ? error.code : undefined
  return { error: { code, message: isError(error) ? error.message : String(error) } }
}
