import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const everyMs = 25

/** Resources that hold the event loop, except for those that a test runner uses to report. */
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

/** The same, once what is ending has ended. */
export async function settledResources(): Promise<string[]> {
  let known = activeResources()
  for (;;) {
    await pause(everyMs)
    const now = activeResources()
    if (now.length >= known.length) return now
    known = now
  }
}

/** Resources that were not there before. */
export function addedResources(before: readonly string[], after: readonly string[]): string[] {
  const known = [...before]
  return after.filter((name) => {
    const at = known.indexOf(name)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}

/** Resolve when nothing holds the event loop that did not before; fail if that takes longer than `patienceMs`. */
export async function assertReleased(before: readonly string[], patienceMs: number): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  let left = addedResources(before, activeResources())
  while (left.length > 0 && performance.now() < giveUpAt) {
    await pause(everyMs)
    left = addedResources(before, activeResources())
  }
  assert.deepEqual(left, [], `resources that a closed store keeps: ${sockets().join('; ')}`)
}

/** The sockets that are open, to find whose they are. */
function sockets(): string[] {
  const handles = (process as unknown as { _getActiveHandles?(): unknown[] })._getActiveHandles?.() ?? []
  return handles
    .filter((one): one is Socket => one instanceof Socket)
    .map(({ localPort, remotePort, readyState, destroyed }) => {
      const state = destroyed ? 'destroyed' : readyState
      return `${localPort} to ${remotePort}, ${state}`
    })
}
