export {
  type LineCounts,
  type Migration,
  type MigrationCost,
  migrationCost,
  type Size,
} from './migration-cost.ts'
export type { Prototype, PrototypeFile } from './prototype.ts'
export { readPrototype } from './read-prototype.ts'
