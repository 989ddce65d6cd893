export { type LineCounts, type MigrationCost, migrationCost } from './migration-cost.ts'
export { readPrototype } from './read-prototype.ts'
