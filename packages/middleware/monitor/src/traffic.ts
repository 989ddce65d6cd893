import { andThen, isEntry, mapPages, type PassThrough, passThrough, type Store } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import type { Counts } from './counts.ts'
import { noteTraffic } from './taking.ts'

/** A layer that counts the bytes of values on their way to and from the store below. */
export function trafficLayer(counts: Counts): PassThrough {
  return noteTraffic(
    passThrough('traffic', { passesFind: true, wrap: (inner) => counted(inner, counts) }),
    counts,
  )
}

function counted(inner: Store<unknown>, counts: Counts): Pick<Store<unknown>, 'read' | 'write' | 'scan'> {
  const slot = counts.slot(inner.name)
  return {
    read: (reads, call) =>
      andThen(inner.read(reads, call), (results) => {
        let bytes = 0
        for (const result of results) if (isEntry(result)) bytes += sizeOf(result.value)
        slot.meters.read.passed(bytes)
        return results
      }),
    write: (mutations, call) => {
      let bytes = 0
      for (const mutation of mutations) if (mutation.type === 'set') bytes += sizeOf(mutation.value)
      slot.meters.set.passed(bytes)
      return inner.write(mutations, call)
    },
    scan: (range, call) =>
      mapPages(inner.scan(range, call), (page) => {
        let bytes = 0
        for (const { entry } of page.entries)
          if (entry !== undefined && isEntry(entry)) bytes += sizeOf(entry.value)
        slot.meters.scan.passed(bytes)
        return page
      }),
  }
}

/** Documents have no size before the driver encodes them. */
function sizeOf(value: unknown): number {
  return isBytes(value) ? value.byteLength : 0
}
