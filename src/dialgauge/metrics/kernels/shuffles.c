/* Coefficients after shuffles: for every shuffle, a sum of one row of each table. */
#include "kernels.h"

/* Columns that are summed together: a strip of a table, and that of all sums, stay in the processor's caches. */
enum { STRIP = 32 };

DG_WIDE
static void add_rows(const double *table, int64_t columns, int64_t wide, const int64_t *places, int64_t step,
                     int64_t shuffles, double *restrict sums) {
    if (wide == STRIP) {
        for (int64_t r = 0; r < shuffles; r++) {
            const double *row = table + places[r * step] * columns;
            for (int c = 0; c < STRIP; c++) sums[r * columns + c] += row[c];
        }
        return;
    }
    for (int64_t r = 0; r < shuffles; r++) {
        const double *row = table + places[r * step] * columns;
        for (int64_t c = 0; c < wide; c++) sums[r * columns + c] += row[c];
    }
}

/* tables: tables × rows × columns. places: shuffles × tables, the row to take of each. sums: shuffles × columns, zeros.
 * Each sum is made in the order of the tables. */
DG_EXPORT int dg_look_up(const double *tables, int64_t count, int64_t rows, int64_t columns, const int64_t *places,
                         int64_t shuffles, double *sums) {
    for (int64_t first = 0; first < columns; first += STRIP) {
        int64_t wide = columns - first < STRIP ? columns - first : STRIP;
        for (int64_t t = 0; t < count; t++)
            add_rows(tables + t * rows * columns + first, columns, wide, places + t, count, shuffles, sums + first);
    }
    return DG_OK;
}
