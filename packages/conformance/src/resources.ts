import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const looks = 40
const everyMs = 25

/** What holds the event loop, except for what a test runner uses to report. */
export function activeResources(): string[] {
  const reporting = [
    'Immediate',
    'TTYWrap',
    'PipeWrap',
    'FSReqPromise',
    'FSReqCallback',
    'CloseReq',
    'TickObject',
  ]
  return process.getActiveResourcesInfo().filter((name) => !reporting.includes(name))
}

function added(before: readonly string[], after: readonly string[]): string[] {
  const known = [...before]
  return after.filter((name) => {
    const at = known.indexOf(name)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}

/** Resolve when nothing holds the event loop that did not before; fail if that takes longer than a second. */
export async function assertReleased(before: readonly string[]): Promise<void> {
  let left: string[] = []
  for (let look = 0; look < looks; look++) {
    left = added(before, activeResources())
    if (left.length === 0) return
    await pause(everyMs)
  }
  assert.deepEqual(left, [], 'resources that a closed store keeps')
}
