import type { Tactic } from '../tactic.ts'
import { addIndex, dropIndex } from './index-tactics.ts'

/** The tactics that unikv has. */
export const builtIn: readonly Tactic[] = [addIndex, dropIndex]
