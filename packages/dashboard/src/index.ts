export { type Dashboard, dashboard } from './dashboard.ts'
export type { DashboardOptions, Look } from './options.ts'
