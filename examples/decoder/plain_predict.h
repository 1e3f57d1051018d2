/* Inter prediction of a block straight from the standard, 8 to 14 bits a sample. */
#ifndef DECODER_PLAIN_PREDICT_H
#define DECODER_PLAIN_PREDICT_H

#include "plug.h"

void plain_predict(const struct batch *batch, const struct qpel_picture_block *block);

#endif
