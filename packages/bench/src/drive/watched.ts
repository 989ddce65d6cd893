import { withMachine } from '../run/machine.ts'
import type { Driver } from './driver.ts'

/** A driver whose samples tell of the work of this machine. */
export function watched(driver: Driver): Driver {
  return {
    load: (part, hooks) => driver.load(part, hooks),
    drive: (request, hooks) => withMachine(() => driver.drive(request, hooks)),
    close: () => driver.close(),
  }
}
