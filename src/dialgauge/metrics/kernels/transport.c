/* The transport problem (earth mover's distance) for many small pairs of weighted sets.
 *
 * Shortest augmenting paths with potentials, as for the assignment problem, but with masses: rows send theirs one after
 * the other along the cheapest path to a column with room, which may move mass of earlier rows on its way. A reduced
 * cost is never negative, and it is zero wherever mass flows, so the plan is the cheapest at every step. */
#include "kernels.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t rows, columns;
    const double *cost; /* rows x columns */
    double *supply, *room;
    double *flow; /* columns x rows, so that a column's rows lie side by side */
    double *row_potential, *column_potential;
    double *distance, *row_distance;
    int64_t *from_row, *from_column; /* on the path: the row before a column, the column before a row */
    unsigned char *scanned, *reached;
    double least; /* masses below it are rounding errors */
} Problem;

/* A plan to begin with: every column takes what it can from the row that is cheapest for it. */
static void begin(Problem *p) {
    for (int64_t j = 0; j < p->columns; j++) {
        int64_t best = 0;
        for (int64_t i = 1; i < p->rows; i++)
            if (p->cost[i * p->columns + j] < p->cost[best * p->columns + j]) best = i;
        p->column_potential[j] = p->cost[best * p->columns + j];
        double mass = p->supply[best] < p->room[j] ? p->supply[best] : p->room[j];
        p->flow[j * p->rows + best] = mass;
        p->supply[best] -= mass;
        p->room[j] -= mass;
    }
    memset(p->row_potential, 0, (size_t)p->rows * sizeof(double));
}

static void relax(Problem *p, int64_t row, double base) {
    const double *cost = p->cost + row * p->columns;
    double offset = base - p->row_potential[row];
    for (int64_t k = 0; k < p->columns; k++) {
        double found = offset + cost[k] - p->column_potential[k];
        if (!p->scanned[k] && found < p->distance[k]) {
            p->distance[k] = found;
            p->from_row[k] = row;
        }
    }
}

/* The nearest column with room, or -1 where there is none; potentials are brought up to date. */
static int64_t search(Problem *p, int64_t start) {
    memset(p->scanned, 0, (size_t)p->columns);
    memset(p->reached, 0, (size_t)p->rows);
    for (int64_t k = 0; k < p->columns; k++) p->distance[k] = DBL_MAX;
    p->reached[start] = 1;
    p->row_distance[start] = 0;
    relax(p, start, 0);
    int64_t end = -1;
    for (;;) {
        int64_t next = -1;
        for (int64_t k = 0; k < p->columns; k++)
            if (!p->scanned[k] && p->distance[k] < DBL_MAX && (next < 0 || p->distance[k] < p->distance[next])) next = k;
        if (next < 0) return -1;
        if (p->room[next] > p->least) {
            end = next;
            break;
        }
        p->scanned[next] = 1;
        const double *flow = p->flow + next * p->rows;
        for (int64_t i = 0; i < p->rows; i++) {
            if (flow[i] <= 0 || p->reached[i]) continue;
            p->reached[i] = 1;
            p->row_distance[i] = p->distance[next];
            p->from_column[i] = next;
            relax(p, i, p->distance[next]);
        }
    }
    double length = p->distance[end];
    for (int64_t k = 0; k < p->columns; k++)
        if (p->scanned[k]) p->column_potential[k] += p->distance[k] - length;
    for (int64_t i = 0; i < p->rows; i++)
        if (p->reached[i]) p->row_potential[i] += length - p->row_distance[i];
    return end;
}

/* Send as much as the path from `start` to `end` carries. */
static void augment(Problem *p, int64_t start, int64_t end) {
    double mass = p->supply[start] < p->room[end] ? p->supply[start] : p->room[end];
    for (int64_t j = end, i = p->from_row[j]; i != start; i = p->from_row[j]) {
        j = p->from_column[i];
        if (p->flow[j * p->rows + i] < mass) mass = p->flow[j * p->rows + i];
    }
    for (int64_t j = end, i = p->from_row[j];; i = p->from_row[j]) {
        p->flow[j * p->rows + i] += mass;
        if (i == start) break;
        j = p->from_column[i];
        double *back = p->flow + j * p->rows + i;
        *back = *back - mass > p->least ? *back - mass : 0;
    }
    p->supply[start] -= mass;
    p->room[end] -= mass;
}

static double solve(Problem *p) {
    memset(p->flow, 0, (size_t)(p->rows * p->columns) * sizeof(double));
    begin(p);
    for (int64_t i = 0; i < p->rows; i++)
        while (p->supply[i] > p->least) {
            int64_t end = search(p, i);
            if (end < 0) break;
            augment(p, i, end);
        }
    double total = 0;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->columns; j++) total += p->flow[j * p->rows + i] * p->cost[i * p->columns + j];
    return total;
}

/* Problem q moves supply[rows so far ...] to demand[columns so far ...] at cost[cells so far ...] (rows x columns).
 * No side may have more to send than the other can take: sum of supply <= sum of demand. Supply and demand are used up
 * as working space. result[q] is the cost of the cheapest plan that sends all supply. */
DG_EXPORT int64_t dg_transport(const int64_t *rows, const int64_t *columns, int64_t problems, double *supply,
                               double *demand, const double *cost, double *result) {
    int64_t most_rows = 1, most_columns = 1, most_cells = 1;
    for (int64_t q = 0; q < problems; q++) {
        if (rows[q] > most_rows) most_rows = rows[q];
        if (columns[q] > most_columns) most_columns = columns[q];
        if (rows[q] * columns[q] > most_cells) most_cells = rows[q] * columns[q];
    }
    double *numbers = malloc((size_t)(most_cells + 2 * most_rows + 2 * most_columns) * sizeof(double));
    int64_t *path = malloc((size_t)(most_rows + most_columns) * sizeof(int64_t));
    unsigned char *marks = malloc((size_t)(most_rows + most_columns));
    if (!numbers || !path || !marks) {
        free(numbers);
        free(path);
        free(marks);
        return DG_NO_MEMORY;
    }
    Problem p = {.flow = numbers,
                 .row_potential = numbers + most_cells,
                 .row_distance = numbers + most_cells + most_rows,
                 .column_potential = numbers + most_cells + 2 * most_rows,
                 .distance = numbers + most_cells + 2 * most_rows + most_columns,
                 .from_row = path,
                 .from_column = path + most_columns,
                 .scanned = marks,
                 .reached = marks + most_columns};
    for (int64_t q = 0; q < problems; q++) {
        p.rows = rows[q];
        p.columns = columns[q];
        p.supply = supply;
        p.room = demand;
        p.cost = cost;
        double total = 0;
        for (int64_t i = 0; i < p.rows; i++) total += supply[i];
        p.least = total * 1e-14;
        result[q] = p.rows && p.columns ? solve(&p) : 0;
        supply += p.rows;
        demand += p.columns;
        cost += p.rows * p.columns;
    }
    free(numbers);
    free(path);
    free(marks);
    return DG_OK;
}
